/* Requests in a pool of nodes, as the Apache Portable Runtime has them: the pool itself lies in its first node,
   and a cursor in the node says where the next allocation begins. A long host overflows a table of four. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next, **ref;
    unsigned index, free_index;
    char *first_avail, *endp;
};

struct pool {
    struct pool *parent, *child;
    struct node *active, *self;
    char *self_first_avail;
};

struct header {
    char *name;
    unsigned slot;
    struct header *next;
};

struct request {
    char *host;
    struct header *headers;
    int *slots;
};

static struct node *make_node(void)
{
    struct node *node = malloc(8192);
    node->next = node;
    node->ref = &node->next;
    node->index = 1;
    node->free_index = 0;
    node->first_avail = (char *)(node + 1);
    node->endp = (char *)node + 8192;
    return node;
}

static void *palloc(struct pool *pool, size_t size)
{
    struct node *active = pool->active;
    void *memory = active->first_avail;
    active->first_avail += (size + 7) / 8 * 8;
    return memory;
}

static struct pool *make_pool(void)
{
    struct node *node = make_node();
    struct pool *pool = (struct pool *)node->first_avail;
    node->first_avail = pool->self_first_avail = (char *)(pool + 1);
    pool->parent = pool->child = NULL;
    pool->active = pool->self = node;
    return pool;
}

static struct header *make_header(struct pool *pool, const char *name, struct header *next)
{
    struct header *header = palloc(pool, sizeof *header);
    header->name = strcpy(palloc(pool, strlen(name) + 1), name);
    header->slot = strlen(name) % 5;
    header->next = next;
    return header;
}

static int handle(struct request *request)
{
    int sum = 0;
    for (struct header *header = request->headers; header; header = header->next) {
        if (header->slot > 3)
            abort();
        sum += request->slots[header->slot];
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct pool *pool = make_pool();
    struct request *request = palloc(pool, sizeof *request);
    request->headers = NULL;
    for (int i = 1; i < argc; i++)
        request->headers = make_header(pool, argv[i], request->headers);
    request->host = request->headers->name;
    request->slots = palloc(pool, 4 * sizeof *request->slots);
    for (int i = 0; i < 4; i++)
        request->slots[i] = i;
    printf("%d\n", handle(request));
    return 0;
}
