"""Finds the words with which commands begin, in scripts, documents and strings of code. They need not be
programs: a shell has functions, and a test may try what does not exist."""
import re
import shlex

# In Python and C++: strings that are a program, or a command line.
COMMAND = re.compile(r'''(?x)
    (?: "--(?:launcher-program|prepare|cleanup|setup|baseline|check-command|against)?",
      | \b(?:which|system|popen|exec[lv]p?)\(
      | \b(?:run|Popen|call|check_call|check_output)\( \s* \[
      | [\[{] (?= \s* "[\w.+-]+", \s* f?"-[a-zA-Z])
      | "(?:ba|z)?sh", \s* "-c",
    ) (?= ( (?: \s* [rfb]? "(?:[^"\\\n]|\\.)*" )+ ) )''')
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
PATH = re.compile(r"(?<![\w.])(?:/usr)?/s?bin/([\w.+-]+)")
CMAKE = re.compile(r"(?:find_program\(\w+|\bCOMMAND)\s+(?:NAMES\s+)?([\w.+-]+)")

# Words of a shell after which a command begins.
BEFORE_A_COMMAND = {"!", "{", "if", "then", "elif", "else", "while", "until", "do", "exec", "command",
                    "time", "env", "nice", "nohup", "timeout", "xargs", "--"}


def shell_commands(text):
    """Those of a script, or of one command line. Half a one, with an open quote, is a ValueError."""
    for what, instead in ((r"\\\n", " "), (r"(?m)(^|\s)#.*$", ""), (r"\$\{[^{}]*\}", "0"),
                          (r"\$?\(\((?:[^()]|\([^()]*\))*\)\)", "0"), (r"\w+\+?=\([^()]*\)", "")):
        text = re.sub(what, instead, text)
    lexer = shlex.shlex(text, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    words = list(lexer)
    awaited = True
    for before, word in zip(["", *words], words):
        if "$(" in word:  # in quotes: elsewhere the parenthesis is a word
            yield from re.findall(r"(?:\$\(|\|)\s*([\w.+-]+)", word)
        if re.fullmatch(r"[();|&\n]+", word) or word in BEFORE_A_COMMAND:
            awaited = True
        elif awaited and not re.match(r"\w+\+?=|[-<>0-9]", word) and not re.fullmatch("[<>]+", before):
            awaited = False
            if word != "kill":  # that one is built in
                yield word


def script_commands(text):
    for word in shell_commands(text):
        yield re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])", text).start(), word


def cmake_commands(text):
    return ((match.start(), match[1]) for match in CMAKE.finditer(text))


def code_commands(text):
    """Those in the strings of Python and C++, and by their path in any language."""
    for match in COMMAND.finditer(text):
        command = "".join(STRING.findall(match[1])).replace('\\"', '"').replace("\\n", "\n")
        try:
            for word in shell_commands(command) if re.search(r"\s", command) else [command]:
                yield match.start(1), word
        except ValueError:
            continue  # the rest of the command is not a string here
    for match in PATH.finditer(text):
        yield match.start(), match[1]


def document_commands(text):
    """Those that scripts/docs runs."""
    for block in re.finditer(r"(?ms)^( *)```console(?! ignore)[^\n]*\n(.*?)^ *```", text):
        for command in re.finditer(r"(?ms)^ *\$ ((?:[^\n]*\\\n)*[^\n]*)(.*?)(?=^ *\$ |\Z)", block[2]):
            # Neither a dry run nor a command line that is refused starts the job.
            starts = "--dry-run" not in command[1] and "[exit 2]" not in command[2]
            for word in shell_commands(command[1] if starts else command[1].split(" -- ")[0]):
                yield block.start(2) + command.start(), word


def of(file, text):
    """(offset, word) with which the commands of a file begin."""
    if file.suffix == ".md":
        return document_commands(text)
    if file.suffix in (".txt", ".cmake"):
        return cmake_commands(text)
    if file.suffix == ".sh" or re.match("#!.*sh\n", text):
        return script_commands(text)
    return code_commands(text)
