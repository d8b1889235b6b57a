/* Words in an arena that is a variable. A word that was seen before is linked to itself. */
#include <stdio.h>
#include <string.h>

struct word {
    const char *text;
    struct word *next;
};

static char arena[16384];
static unsigned used;

static void *take(unsigned size)
{
    void *memory = arena + used;
    used += (size + 15) / 16 * 16;
    return memory;
}

static struct word *find(struct word *words, const char *text)
{
    for (; words; words = words->next)
        if (strcmp(words->text, text) == 0)
            return words;
    return NULL;
}

static struct word *add(struct word *words, const char *text)
{
    struct word *word = find(words, text);
    if (!word)
        word = take(sizeof *word);
    word->text = text;
    word->next = words;
    return word;
}

static int length(const struct word *words)
{
    return words ? length(words->next) + 1 : 0;
}

static int count(const struct word *words)
{
    return length(words);
}

int main(int argc, char **argv)
{
    struct word *words = NULL;
    for (int i = 1; i < argc; i++)
        words = add(words, argv[i]);
    printf("%d\n", count(words));
    return 0;
}
