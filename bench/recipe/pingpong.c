/* One player takes the ball away while others are about to hit it. */
#include <pthread.h>
#include <stdio.h>

struct ball {
  int hits;
};
static struct ball balls[2];
static struct ball* ball = &balls[0];

static void* ping(void* p) {
  if (ball != 0) {
    struct ball* const mine = ball;
    if (mine != 0) mine->hits++;
  }
  return p;
}
static void* pong(void* p) {
  ball = 0;
  ball = &balls[1];
  return p;
}
int main(void) {
  pthread_t one, two, three;
  pthread_create(&one, 0, ping, 0);
  pthread_create(&two, 0, pong, 0);
  pthread_create(&three, 0, ping, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  pthread_join(three, 0);
  printf("%d\n", balls[0].hits + balls[1].hits);
}
