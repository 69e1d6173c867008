// The sender changes the object that its message points to after it has sent the message.
// EXPECT: race A B
#include <pthread.h>
#include <stdlib.h>
#include <sys/msg.h>
#include "invisible.h"

struct envelope {
  long type;
  int* content;
};
static int queue;
int value;

static void* receive(void* unused) {
  struct envelope message;
  if (msgrcv(queue, &message, sizeof message.content, 0, 0) < 0) abort();
  *message.content = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  queue = msgget(IPC_PRIVATE, 0600);
  pthread_t receiver;
  pthread_create(&receiver, NULL, receive, NULL);
  struct envelope message = {1, &value};
  if (msgsnd(queue, &message, sizeof message.content, 0) != 0) abort();
  await(1);
  value = 2;  // B
  pthread_join(receiver, NULL);
  msgctl(queue, IPC_RMID, NULL);
}
