// Message queues of POSIX and of System V pass pointers; the receiver owns the object.
// EXPECT: none
// OUTPUT: 190 190
// PEER: reports it does not know message queues
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/msg.h>
#include <unistd.h>

struct envelope {
  long type;
  int* content;
};

static int queue;
static mqd_t posix;
static long sums[2];

static void* receive(void* unused) {
  for (int i = 0; i < 20; ++i) {
    struct envelope message;
    if (msgrcv(queue, &message, sizeof message.content, 0, 0) < 0) abort();
    sums[0] += *message.content;
    free(message.content);
    int* content;
    if (posix == (mqd_t)-1) continue;
    if (mq_receive(posix, (char*)&content, sizeof content, NULL) < 0) abort();
    sums[1] += *content;
    free(content);
  }
  return unused;
}

static int* new_content(int value) {
  int* content = malloc(sizeof *content);
  *content = value;
  return content;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/omen-messages-%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = sizeof(int*)};
  queue = msgget(IPC_PRIVATE, 0600);
  posix = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  if (queue < 0) abort();
  mq_unlink(name);
  pthread_t receiver;
  pthread_create(&receiver, NULL, receive, NULL);
  for (int i = 0; i < 20; ++i) {
    struct envelope message = {1, new_content(i)};
    if (msgsnd(queue, &message, sizeof message.content, 0) != 0) abort();
    if (posix == (mqd_t)-1) continue;  // the system has none
    int* content = new_content(i);
    if (mq_send(posix, (char*)&content, sizeof content, 0) != 0) abort();
  }
  pthread_join(receiver, NULL);
  msgctl(queue, IPC_RMID, NULL);
  if (posix == (mqd_t)-1) sums[1] = sums[0];
  printf("%ld %ld\n", sums[0], sums[1]);
}
