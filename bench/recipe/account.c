/* Each account has a lock, but a transfer takes only that of its source. Two threads transfer, main adds up at the end. */
#include <pthread.h>
#include <stdio.h>

struct account {
  int balance;
  pthread_mutex_t guard;
};
static struct account a = {5, PTHREAD_MUTEX_INITIALIZER}, b = {5, PTHREAD_MUTEX_INITIALIZER};

static void transfer(struct account* from, struct account* to, int amount) {
  pthread_mutex_lock(&from->guard);
  if (from->balance >= amount) {
    from->balance -= amount;
    to->balance += amount;
  }
  pthread_mutex_unlock(&from->guard);
}
static void* first(void* p) {
  for (int i = 0; i < 2; i++) transfer(&a, &b, 3);
  return p;
}
static void* second(void* p) {
  for (int i = 0; i < 2; i++) transfer(&b, &a, 2);
  return p;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  printf("%d\n", a.balance + b.balance);
}
