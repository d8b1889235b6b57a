def product(text):
    p = 1
    for word in text.split():
        if word.isdigit():
            p *= int(word)
    return p
