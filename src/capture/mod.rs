//! Bounded output.
//!
//! A capture keeps the first and last bytes a command printed in memory and, once they no longer fit, the whole of it in a
//! private spill file up to a cap. Which bytes belong to a command is decided by `track`; here it is only decided how many are
//! kept and where. Bytes become text lazily, as the terminal showed them. Touches: text, and files below the directory it is given.
