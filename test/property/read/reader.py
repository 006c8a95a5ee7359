"""Reads documents for the property test: a JSON line {"path", "format"} in, its facts as a JSON line out.

Lengths are millimetres, font sizes and line widths points, colours #RRGGBB. What a document leaves to its styles is
looked up in them: the facts say what a reader of the document sees.
"""
import json
import sys
import traceback

import read_docx
import read_odp
import read_ods
import read_odt
import read_pptx
import read_xlsx

READERS = {
    "docx": read_docx.read,
    "odt": read_odt.read,
    "xlsx": read_xlsx.read,
    "ods": read_ods.read,
    "pptx": read_pptx.read,
    "odp": read_odp.read,
}


def main():
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"facts": READERS[request["format"]](request["path"])}
        except Exception:  # the test tells which document it was
            answer = {"error": traceback.format_exc()}
        sys.stdout.write(json.dumps(answer, default=str) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
