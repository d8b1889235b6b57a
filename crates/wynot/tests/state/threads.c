#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct job { const char *text; int length; int sum; struct job *next; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct job *queue, **tail = &queue;
static int done;
static int weight(int c) { return c == '-' ? -1 : c - '0'; }
static void work(struct job *job) {
    job->sum = 0;
    for (int i = 0; i < job->length; i++) job->sum += weight(job->text[i]);
}
static void *worker(void *nothing) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!queue && !done) pthread_cond_wait(&more, &lock);
        struct job *job = queue;
        if (job) { queue = job->next; if (!queue) tail = &queue; }
        pthread_mutex_unlock(&lock);
        if (!job) return 0;
        work(job);
    }
}
int main(int argc, char **argv) {
    pthread_t threads[3];
    struct job *jobs[20];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, worker, 0);
    for (int i = 1; i < argc; i++) {
        struct job *job = jobs[i] = calloc(1, sizeof *job);
        job->text = argv[i]; job->length = strlen(argv[i]);
        pthread_mutex_lock(&lock);
        *tail = job; tail = &job->next;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock); done = 1; pthread_cond_broadcast(&more); pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    int total = 0;
    for (int i = 1; i < argc; i++) total += jobs[i]->sum;
    if (total < 0) abort();
    printf("%d\n", total);
}
