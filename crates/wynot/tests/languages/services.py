"""Reads a JSON file of services and knows one message: retrying takes longer than the timeout."""

import json

from reading import Wrong, end


def check(text):
    try:
        for service in json.loads(text)["services"]:
            retry = service.get("retry", {"times": 0, "seconds": 0})
            if retry["times"] * retry["seconds"] > service.get("timeout", 30):
                return "retrying takes longer than the timeout"
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Wrong(error) from error
    return None


end(check)
