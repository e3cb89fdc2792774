#pragma once

#include <functional>

namespace haltere {

/// How many threads one computation may use: what set_n_threads() said last, else the environment variable
/// HALTERE_THREADS where that is a positive whole number, else as many as the machine runs at once.
int n_threads();
void set_n_threads(int n);  // 0: no longer said

/// Calls work(part, thread) for every part from 0 to n_parts - 1, each once, in no order; threads count from 0.
/// What a part computes must not depend on the others or on the thread: then no bit depends on how many threads
/// there are. `work` must not throw. With one part, or one thread, nothing is started.
template <class Work>
void for_each_part(int n_parts, int threads, const Work& work);

void call_for_each_part(int n_parts, int threads, const std::function<void(int part, int thread)>& work);

template <class Work>
void for_each_part(int n_parts, int threads, const Work& work) {
  call_for_each_part(n_parts, threads, std::cref(work));  // by reference: a copy would ask for memory
}

}  // namespace haltere
