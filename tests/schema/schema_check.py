"""What the checks of published schemas have in common."""
import copy
import json
import re
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("the checks of schemas need the Python package jsonschema: "
             "apt-get install python3-jsonschema")

DELETE = object()  # as a wrong value: the key is missing


def load(path):
    """The schema, with those that it refers to among its $defs: older versions of jsonschema do not
    know urn: as a base."""
    reference = re.compile(r'"\$ref": "(urn:kstar:([a-z-]+):\d+)"')
    text = path.read_text()
    schema = json.loads(reference.sub(r'"$ref": "#/$defs/\2"', text))
    for urn, name in set(reference.findall(text)):
        other = load(path.with_name(f"{name}.schema.json"))
        if other.pop("$id") != urn:
            sys.exit(f"{path}: {urn} is another version of {name}")
        defs = schema.setdefault("$defs", {})
        for key, definition in {**other.pop("$defs", {}), name: other}.items():
            if defs.setdefault(key, definition) != definition:
                sys.exit(f"{path}: {key} is defined differently in {name}")
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


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
    """Every key as key/key, of a map key/*; one without a description is an error."""
    if "$ref" in schema:
        schema = {**root["$defs"][schema["$ref"].split("/")[-1]], **schema}
    keys, others = set(), schema.get("additionalProperties")
    if isinstance(others, dict):
        keys.add(f"{prefix}/*")
    elif schema.get("type") == "object" and others is not False:
        errors.append(f"{prefix or 'the document'} takes unknown keys")
    for key, value in schema.get("properties", {}).items():
        path = f"{prefix}/{key}"
        keys.add(path)
        if not value.get("description"):
            errors.append(f"{path} has no description")
        keys |= described_keys(value, root, path, errors)
    below_it = [schema["items"]] if "items" in schema else []
    for below in below_it + schema.get("anyOf", []) + schema.get("oneOf", []):
        keys |= described_keys(below, root, prefix, errors)
    return keys


def written_keys(value, prefix=""):
    if isinstance(value, list):
        return set().union(*(written_keys(item, prefix) for item in value))
    if not isinstance(value, dict):
        return set()
    keys = {f"{prefix}/{key}" for key in value}
    return keys.union(*(written_keys(item, f"{prefix}/{key}") for key, item in value.items()))


def unlike(described, written):
    """A line for each key that is described and not written, or the other way round."""
    free = tuple(key[:-1] for key in described if key.endswith("/*"))
    filled = {f"{place}*" for place in free if any(key.startswith(place) for key in written)}
    named = {key for key in written if not key.startswith(free)}
    return ([f"{key} is described and in no output" for key in sorted(described - named - filled)] +
            [f"{key} is written and not described" for key in sorted(named - described)])


def wrong_taken(validator, right, planted):
    """A line for each planted mistake that the schema does not refuse."""
    errors = []
    for path, value in planted:
        if validator.is_valid(set_path(right, path, value)):
            wrong = "no value" if value is DELETE else repr(value)
            errors.append(f"a wrong document was taken: {path} = {wrong}")
    return errors


def check(path, documents, first, planted):
    """The whole check of outputs, by name: exits if something is wrong. `first` names the one that the
    planted mistakes are made in."""
    schema = load(path)
    validator = jsonschema.Draft202012Validator(schema)
    errors = [f"{name}: {problem.json_path}: {problem.message}"
              for name, document in documents.items() for problem in validator.iter_errors(document)]
    written = set().union(*map(written_keys, documents.values()))
    described = described_keys(schema, schema, "", errors)
    errors += unlike(described, written)
    errors += wrong_taken(validator, documents[first], planted)
    print(f"{len(documents)} outputs, {len(described)} keys, {len(planted)} planted mistakes")
    if errors:
        sys.exit("\n".join(errors))
