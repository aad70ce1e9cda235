//! Runs independent jobs on all processors; results come back in order.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::mpsc;
use std::thread;

/// Does every job and hands each result over in the order of the jobs, as soon as it and all before it are there.
pub fn in_order<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync, mut done: impl FnMut(&J, &R)) -> Vec<R> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(jobs.len());
    let waiting = Mutex::new(jobs.iter().enumerate());
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, waiting, work) = (sender.clone(), &waiting, &work);
            scope.spawn(move || {
                // the lock is released before the work begins; it is poisoned only if a job panics, which ends the scope
                while let Some((index, job)) = waiting.lock().ok().and_then(|mut jobs| jobs.next()) {
                    if sender.send((index, work(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut results: Vec<Option<R>> = jobs.iter().map(|_| None).collect();
        let mut next = 0;
        for (index, result) in receiver {
            results[index] = Some(result);
            while let Some(Some(result)) = results.get(next) {
                done(&jobs[next], result);
                next += 1;
            }
        }
        results.into_iter().flatten().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..40).collect();
        let mut seen = Vec::new();
        let results = in_order(&jobs, |job| job * job, |job, result| seen.push((*job, *result)));
        assert_eq!(results, jobs.iter().map(|job| job * job).collect::<Vec<_>>());
        assert_eq!(seen, jobs.iter().map(|job| (*job, job * job)).collect::<Vec<_>>());
        assert!(in_order(&[], |job: &u64| *job, |_, _| ()).is_empty());
    }
}
