//! Divides a limit among several parts.

/// Divides `total` by weight. A share that is not needed goes to the others.
pub(in crate::agent) fn shares(needs: &[usize], weights: &[usize], total: usize) -> Vec<usize> {
    let mut shares = vec![0; needs.len()];
    let mut open: Vec<usize> = (0..needs.len()).filter(|one| needs[*one] > 0).collect();
    let mut left = total;
    while !open.is_empty() && left > 0 {
        let weight: usize = open.iter().map(|one| weights[*one]).sum::<usize>().max(1);
        let part = |one: usize| left * weights[one] / weight;
        let (content, hungry): (Vec<usize>, Vec<usize>) = open.iter().partition(|one| needs[**one] <= part(**one));
        if content.is_empty() {
            for one in hungry {
                shares[one] = left * weights[one] / weight;
            }
            break;
        }
        for one in content {
            shares[one] = needs[one];
            left -= needs[one];
        }
        open = hungry;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_exceed_neither_the_needs_nor_the_total() {
        assert_eq!(shares(&[10, 20], &[1, 1], 100), [10, 20]);
        assert_eq!(shares(&[10, 1000, 1000], &[1, 8, 1], 100), [10, 80, 10]);
        assert_eq!(shares(&[0, 1000], &[8, 1], 100), [0, 100]);
        assert_eq!(shares(&[5, 1000, 1000], &[1, 1, 1], 105), [5, 50, 50]);
        assert_eq!(shares(&[], &[], 100), Vec::<usize>::new());
        assert_eq!(shares(&[7], &[1], 0), [0]);
    }
}
