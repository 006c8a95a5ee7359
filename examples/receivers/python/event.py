"""What a verified request says."""

import hashlib
import json
import re


class MalformedEvent(Exception):
    """The body or a header is not what the service sends."""


def parse_event(headers, raw_body):
    """Returns a dict with delivery, event, subject and files; for jobs also job and code, for documents key and version.

    Only the body and the timestamp are under the signature: X-SVC-Event has to agree with the body, and `subject`
    finds a repeat even when somebody sends a body again with another X-SVC-Delivery.
    """
    delivery = headers.get("X-SVC-Delivery", "").lower()
    _must(re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", delivery), "X-SVC-Delivery")
    body = _parse(raw_body)
    event = f"document.{body['status']}" if "status" in body else body.get("event")
    _must(event == headers.get("X-SVC-Event"), "X-SVC-Event")
    if event in ("job.done", "job.failed"):
        return {"delivery": delivery, "event": event, **_job_event(event, body.get("job"))}
    if event in ("document.saved", "document.closed"):
        return {"delivery": delivery, "event": event, **_document_event(event, body)}
    raise MalformedEvent("event")


def _job_event(event, job):
    _must(isinstance(job, dict) and _matches("job_[0-9a-f]{24}", job.get("id")), "job.id")
    _must(isinstance(job.get("outputs"), list), "job.outputs")
    known = {"subject": f"{event} {job['id']}", "job": job["id"]}
    if event == "job.failed":
        error = job.get("error")
        return {**known, "files": [], "code": _word(error.get("code") if isinstance(error, dict) else None, "unknown")}
    return {**known, "files": [_output_file(output) for output in job["outputs"]]}


def _output_file(output):
    _must(isinstance(output, dict) and _matches("file_[0-9a-f]{24}", output.get("file_id")), "file_id")
    file_id = output["file_id"]
    return {**_contents(output), "id": file_id, "name": f"{file_id}.{_word(output.get('format'))}"}


def _document_event(event, body):
    key, version = body.get("key"), body.get("version")
    _must(isinstance(key, str) and key and _is_count(version), "key, version")
    # The key is any text at all; its hash makes a file name.
    name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    subject = f"{event} {name} {version}"
    if event == "document.closed":
        # A document is closed many times, maybe twice with one version: the send time tells these apart.
        subject += f" {json.dumps(body.get('timestamp'))}"
    files = []
    if body.get("url") is not None:
        files = [{**_contents(body), "id": None, "name": f"{name}.{_word(body.get('fileType'))}"}]
    return {"subject": subject, "key": name, "version": version, "files": files}


def _contents(contents):
    _must(isinstance(contents.get("url"), str), "url")
    _must(_is_count(contents.get("size")), "size")
    _must(_matches("[0-9a-f]{64}", contents.get("sha256")), "sha256")
    return {name: contents[name] for name in ("url", "size", "sha256")}


def _parse(raw_body):
    try:
        body = json.loads(raw_body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise MalformedEvent("body") from None
    _must(isinstance(body, dict), "body")
    return body


def _word(value, otherwise=None):
    """Text that is safe in a file name or a log line."""
    if _matches("[A-Za-z0-9_]{1,40}", value):
        return value
    _must(otherwise is not None, "format")
    return otherwise


def _matches(pattern, value):
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _must(condition, what):
    if not condition:
        raise MalformedEvent(what)
