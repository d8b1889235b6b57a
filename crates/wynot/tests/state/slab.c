/* A queue of jobs in slabs: pages with a bitmap, whose objects lie in an array of bytes. Job 0 depends on itself. */
#include <stdio.h>
#include <stdlib.h>

struct slab {
    struct slab *next;
    unsigned long used;
    unsigned size;
    unsigned char data[4064];
};

struct job {
    int number, done;
    struct job *after;
};

static struct slab *slabs;

static void *slab_alloc(unsigned size)
{
    struct slab *slab = slabs;
    while (slab && (slab->size != size || slab->used == ~0ul))
        slab = slab->next;
    if (!slab) {
        slab = calloc(1, sizeof *slab);
        slab->size = size;
        slab->next = slabs;
        slabs = slab;
    }
    int free = __builtin_ctzl(~slab->used);
    slab->used |= 1ul << free;
    return slab->data + free * size;
}

static struct job *make(int number, struct job *after)
{
    struct job *job = slab_alloc(sizeof *job);
    job->number = number;
    job->after = after;
    return job;
}

static int depth(struct job *job)
{
    return job->after ? depth(job->after) + 1 : 0;
}

static int schedule(struct job *last)
{
    return depth(last);
}

int main(int argc, char **argv)
{
    int count = atoi(argv[1]);
    struct job *first = make(0, NULL), *last = first;
    for (int i = 1; i < 5; i++)
        last = make(i, last);
    if (count > 4)
        first->after = first;
    printf("%d\n", schedule(last));
    return 0;
}
