//! A thread that carries out tasks one after the other.
//!
//! Adding a task never waits and takes no lock: the thread looks for tasks without blocking, and sleeps if there are none.

use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};

/// Enough for threads that make system calls.
const STACK: usize = 256 * 1024;

/// The session's end. When it is dropped, the thread finishes its tasks and ends.
pub(super) struct Worker<T> {
    /// `None` once there will be no more tasks.
    tasks: Option<Sender<T>>,
    thread: Option<JoinHandle<()>>,
}

/// The thread's end.
pub(super) struct Tasks<T> {
    tasks: Receiver<T>,
}

impl<T: Send + 'static> Worker<T> {
    pub(super) fn start(name: &str, work: impl FnOnce(Tasks<T>) + Send + 'static) -> io::Result<Worker<T>> {
        let (sender, tasks) = channel();
        let builder = thread::Builder::new().name(name.to_owned()).stack_size(STACK);
        let thread = builder.spawn(move || work(Tasks { tasks }))?;
        Ok(Worker { tasks: Some(sender), thread: Some(thread) })
    }
}

impl<T> Worker<T> {
    /// Adds a task. After a panic of the thread this has no effect.
    pub(super) fn give(&self, task: T) {
        if let Some(tasks) = &self.tasks {
            let _ = tasks.send(task);
        }
        self.wake();
    }

    /// Waits until all tasks are done. Only for the end of a session.
    pub(super) fn finish(mut self) {
        self.tasks = None;
        self.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    fn wake(&self) {
        self.thread.iter().for_each(|thread| thread.thread().unpark());
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        self.tasks = None;
        self.wake();
    }
}

impl<T> Tasks<T> {
    /// Waits for the next task; `None` when there will be no more.
    pub(super) fn next(&self) -> Option<T> {
        loop {
            match self.tasks.try_recv() {
                Ok(task) => return Some(task),
                Err(TryRecvError::Empty) => thread::park(),
                Err(TryRecvError::Disconnected) => return None,
            }
        }
    }

    /// The newest of the waiting tasks, if there are any. The others are dropped.
    pub(super) fn newest(&self) -> Option<T> {
        self.tasks.try_iter().last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[test]
    fn tasks_are_done_in_order_and_all_of_them_before_the_end() {
        let done = Arc::<Mutex<Vec<u32>>>::default();
        let seen = Arc::clone(&done);
        let work = move |tasks: Tasks<u32>| {
            std::iter::from_fn(|| tasks.next()).for_each(|task| seen.lock().unwrap().push(task))
        };
        let worker = Worker::start("test", work).unwrap();
        (0..1_000).for_each(|task| worker.give(task));
        worker.finish();
        assert_eq!(*done.lock().unwrap(), (0..1_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_worker_that_panicked_does_not_block_the_session() {
        let worker = Worker::start("test", |tasks: Tasks<u32>| assert!(tasks.next().is_none())).unwrap();
        worker.give(1);
        worker.give(2);
        worker.finish();
    }
}
