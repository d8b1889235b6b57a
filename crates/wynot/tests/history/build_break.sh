# Old versions lack an #include, and compilers of today insist on it.
cat > text.h <<'END'
int words(const char *text);
END
cat > text.c <<'END'
#include "text.h"

/* Version 0 */

int words(const char *text)
{
    int count = 0;
    unsigned at = 0;
    while (at < strlen(text)) {
        while (text[at] == ' ')
            at++;
        if (at < strlen(text))
            count++;
        while (at < strlen(text) && text[at] != ' ')
            at++;
    }
    return count;
}
END
cat > main.c <<'END'
#include <stdio.h>
#include "text.h"

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    printf("%d words\n", words(argv[1]));
    return 0;
}
END
fill() {
    sed -i "s/Version .*/Version $1 *\//" text.c
    printf '\nint part_%d(void)\n{\n    return %d;\n}\n' "$1" "$1" >> main.c
}
commit Start
work 1 8
sed -i 's/int count = 0;/int count = 1;/' text.c
sed -i 's/return 2;/return 64;/' main.c
commit 'Count from one'
work 9 15
sed -i '1i #include <string.h>' text.c
sed -i 's/argc != 2/argc < 2/; s/%d words/words: %d/' main.c
echo '/* The number of words. */' >> text.h
commit 'Tidy up'
work 16 22
test_script <<'END'
out=$(./prog 'two words') || exit 2
case $out in
    *3*) echo "error: too many words" >&2; exit 1 ;;
    *2*) exit 0 ;;
esac
exit 2
END
