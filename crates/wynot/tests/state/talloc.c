/* A configuration in a hierarchical pool, as talloc has them: a header comes before each allocation, and small
   ones are taken from the block of their context. A section with the name "limit" gets no value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    struct header *next, *child;
    const char *type;
    size_t size, free;
};

struct entry {
    const char *key;
    struct value *value;
    struct entry *next;
};

struct value {
    int kind;
    long number;
};

struct config {
    struct entry *entries;
    int count;
};

static void *pool_context(size_t size)
{
    struct header *pool = calloc(1, size);
    pool->type = "pool";
    pool->size = size;
    pool->free = sizeof *pool;
    return pool + 1;
}

static void *from_context(void *context, size_t size, const char *type)
{
    struct header *pool = (struct header *)context - 1;
    struct header *made = (struct header *)((char *)pool + pool->free);
    pool->free += (sizeof *made + size + 15) / 16 * 16;
    if (pool->free > pool->size)
        abort();
    made->type = type;
    made->size = size;
    made->next = pool->child;
    pool->child = made;
    return made + 1;
}

static char *copy(void *context, const char *text)
{
    return strcpy(from_context(context, strlen(text) + 1, "char"), text);
}

static struct value *value_of(void *context, const char *key)
{
    struct value *value = from_context(context, sizeof *value, "struct value");
    value->kind = strlen(key);
    value->number = 10 * value->kind;
    return value;
}

static void add(void *context, struct config *config, const char *key)
{
    struct entry *entry = from_context(context, sizeof *entry, "struct entry");
    entry->key = copy(context, key);
    entry->value = strcmp(key, "limit") ? value_of(context, key) : NULL;
    entry->next = config->entries;
    config->entries = entry;
    config->count++;
}

static long total(struct config *config)
{
    long sum = 0;
    for (struct entry *entry = config->entries; entry; entry = entry->next)
        sum += entry->value->number;
    return sum;
}

int main(int argc, char **argv)
{
    void *context = pool_context(4000);
    struct config *config = from_context(context, sizeof *config, "struct config");
    for (int i = 1; i < argc; i++)
        add(context, config, argv[i]);
    add(context, config, "last");
    printf("%ld\n", total(config));
    return 0;
}
