"""Reads LLVM IR with one instruction on each line, and knows one message: a merged value divides.

Names have definitions, numbers count, blocks end in jumps, and a phi has a value for each block before it.
"""

from reading import Wrong, end

BINARY = {"add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "and", "or", "xor", "shl", "lshr", "ashr"}
OTHERS = {"icmp", "phi", "call", "tail", "load", "alloca", "getelementptr", "sext", "zext", "trunc", "select"}
ENDS = {"br", "ret", "unreachable"}
SIGNS = "()[]{}<>,=*:"


def words(line):
    """The words and signs of a line; texts in quotes are one word."""
    found, word, quoted = [], "", False
    for byte in line:
        if quoted or byte == '"':
            word += byte
            quoted ^= byte == '"'
        elif byte == ";":
            break
        elif byte in SIGNS or byte.isspace():
            found += [word] if word else []
            found += [byte] if byte in SIGNS else []
            word = ""
        else:
            word += byte
    return found + ([word] if word else [])


def demand(holds, what):
    if not holds:
        raise Wrong(what)


class Function:
    def __init__(self, header):
        self.defined, self.uses, self.phis, self.divisors = {}, set(), {}, []
        self.blocks, self.jumps, self.block, self.number = [], {}, None, 0
        depth = 0
        for before, word in zip(["", *header], header):
            depth += (word == "(") - (word == ")")
            if depth and word[0] == "%" and before != "(":
                self.define(word, "parameter")

    def define(self, name, what):
        demand(name not in self.defined, f"{name} twice")
        if name[1:].isdigit():
            demand(int(name[1:]) == self.number, f"{name} out of order")
            self.number += 1
        self.defined[name] = what

    def begin(self, label):
        demand(self.block is None, "a block without an end")
        self.block = label or "%" + str(self.number)
        self.define(self.block, "block")
        self.blocks.append(self.block)
        self.jumps[self.block] = []

    def read(self, line):
        if len(line) == 2 and line[1] == ":":
            return self.begin("%" + line[0])
        if self.block is None:
            self.begin(None)
        name = line[0] if line[1:2] == ["="] else None
        rest = line[2:] if name else line
        demand(rest, "an instruction")
        opcode = rest[0]
        demand(opcode in BINARY | OTHERS | ENDS or opcode == "store" and not name, opcode)
        demand(rest[-1] not in ",=" and rest[1:2] != [","] and ",," not in "".join(rest), "a comma")
        self.uses |= {word for word in rest if word[0] == "%"}
        if name:
            demand(opcode not in ENDS, "the value of a jump")
            self.define(name, opcode)
        if opcode in BINARY:
            demand("," in rest, "two operands")
            at = rest.index(",")
            demand(at > 2 and len(rest) > at + 1, "two operands")
            if "div" in opcode or "rem" in opcode:
                self.divisors.append(rest[at + 1])
        elif opcode == "phi":
            demand(rest[3::5] and set(rest[3::5]) <= {"%", *[w for w in rest]}, "values")
            labels = [word for before, word in zip(rest, rest[1:]) if before == "," and word[0] == "%"]
            self.phis.setdefault(self.block, []).append(sorted(set(labels)))
        elif opcode in ENDS:
            labels = [word for before, word in zip(rest, rest[1:]) if before == "label"]
            demand(opcode != "br" or len(labels) in (1, 2) and ("i1" in rest) == (len(labels) == 2), "a jump")
            demand(opcode != "ret" or len(rest) > 1, "a result")
            self.jumps[self.block] = labels
            self.block = None

    def finish(self, known):
        demand(self.blocks and self.block is None, "a block without an end")
        for name in self.uses:
            demand(name in self.defined or name in known, f"{name} is not defined")
        for block in self.blocks:
            before = sorted({source for source in self.blocks if block in self.jumps[source]})
            demand(all(labels == before for labels in self.phis.get(block, [])), f"values at {block}")
        demand(not any(self.blocks[0] in labels for labels in self.jumps.values()), "a jump to the first block")
        return any(self.defined.get(name) == "phi" for name in self.divisors)


def check(text):
    known, mentioned, function, merged = set(), set(), None, False
    bodies = []
    for line in filter(None, map(words, text.splitlines())):
        start = line[0]
        mentioned |= {word for word in line if word[0] in "@#" or word[0] == "!" and word[1:].isdigit()}
        if function:
            if line == ["}"]:
                bodies.append(function)
                function = None
            else:
                function.read(line)
        elif start in ("define", "declare"):
            names = [word for word in line if word[0] == "@"]
            demand(names and names[0] not in known and "(" in line and ")" in line, "a function")
            known.add(names[0])
            if start == "define":
                demand(line[-1] == "{", "a body")
                function = Function(line)
        elif start == "attributes":
            demand(len(line) > 3 and line[2] == "=", "attributes")
            known.add(line[1])
        elif start[0] in "%@!":
            demand(line[1:2] == ["="] and len(line) > 2 and start not in known, "a definition")
            known.add(start)
        else:
            demand(start in ("target", "source_filename"), start)
    demand(function is None, "a function without an end")
    for name in mentioned:
        demand(name in known, f"{name} is not defined")
    for body in bodies:
        merged |= body.finish(known)
    return "a merged value divides" if merged else None


end(check)
