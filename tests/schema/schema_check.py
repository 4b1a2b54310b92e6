"""What the checks of published schemas have in common."""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("the checks of schemas need the Python package jsonschema: "
             "apt-get install python3-jsonschema")

DELETE = object()  # as a wrong value: the key is missing


def refuse_constant(word):
    """For json.loads: NaN and Infinity are not JSON."""
    raise ValueError(f"{word} is not JSON")


def set_path(document, path, value):
    changed = copy.deepcopy(document)
    place = changed
    for step in path[:-1]:
        place = place[step]
    if value is DELETE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return changed


def described_keys(schema, root, prefix, errors):
    """Every key of the schema as key/key; a key without a description is an error."""
    if "$ref" in schema:
        schema = {**root["$defs"][schema["$ref"].split("/")[-1]], **schema}
    keys = set()
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        errors.append(f"{prefix or 'the document'} takes unknown keys")
    for key, value in schema.get("properties", {}).items():
        path = f"{prefix}/{key}"
        keys.add(path)
        if not value.get("description"):
            errors.append(f"{path} has no description")
        keys |= described_keys(value, root, path, errors)
    below_it = [schema["items"]] if "items" in schema else []
    for below in below_it + schema.get("anyOf", []):
        keys |= described_keys(below, root, prefix, errors)
    return keys


def written_keys(value, prefix=""):
    if isinstance(value, list):
        return set().union(*(written_keys(item, prefix) for item in value))
    if not isinstance(value, dict):
        return set()
    keys = {f"{prefix}/{key}" for key in value}
    return keys.union(*(written_keys(item, f"{prefix}/{key}") for key, item in value.items()))


def wrong_taken(validator, right, planted):
    """A line for each planted mistake that the schema does not refuse."""
    errors = []
    for path, value in planted:
        if validator.is_valid(set_path(right, path, value)):
            wrong = "no value" if value is DELETE else repr(value)
            errors.append(f"a wrong document was taken: {path} = {wrong}")
    return errors


def check(path, documents, first, planted):
    """The whole check of outputs, by name: exits with what is wrong. `first` names the one that the
    planted mistakes are made in."""
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    errors = [f"{name}: {problem.json_path}: {problem.message}"
              for name, document in documents.items() for problem in validator.iter_errors(document)]
    written = set().union(*map(written_keys, documents.values()))
    described = described_keys(schema, schema, "", errors)
    errors += [f"{key} is described and in no output" for key in sorted(described - written)]
    errors += [f"{key} is written and not described" for key in sorted(written - described)]
    errors += wrong_taken(validator, documents[first], planted)
    print(f"{len(documents)} outputs, {len(described)} keys, {len(planted)} planted mistakes")
    sys.exit("\n".join(errors) if errors else 0)
