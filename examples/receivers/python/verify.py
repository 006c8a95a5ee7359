"""Checks that a callback was signed by the service, and lately."""

import hashlib
import hmac
import re
import time

TOLERANCE = 300
"""Seconds by which the sender's clock and ours may differ."""


class VerificationError(Exception):
    """Not to be trusted. `reason`: no_secret, unsigned, timestamp, late or signature."""

    def __init__(self, reason):
        super().__init__(f"callback refused: {reason}")
        self.reason = reason


def verify(headers, raw_body, secrets, now=None):
    """Returns when the request was signed with one of the secrets and is fresh; raises VerificationError otherwise.

    headers   a mapping of names to values, in any case
    raw_body  the bytes as they came in; a body that was parsed and written again has another signature
    secrets   the one in use and, during a rotation, the other one
    now       Unix seconds; default: the clock
    """
    values = {name.lower(): value for name, value in headers.items()}
    timestamp = values.get("x-svc-timestamp", "")
    signature = values.get("x-svc-signature", "")
    # Anybody can sign with an empty key.
    keys = [secret for secret in secrets if secret]
    if not keys:
        raise VerificationError("no_secret")
    if not signature:
        raise VerificationError("unsigned")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        raise VerificationError("timestamp")
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        raise VerificationError("late")
    # compare_digest takes the same time wherever the two differ; of text it takes ASCII only, hence the bytes.
    given = signature.encode("utf-8", "replace")
    if not any(hmac.compare_digest(given, _sign(key, timestamp, raw_body)) for key in keys):
        raise VerificationError("signature")


def _sign(key, timestamp, raw_body):
    digest = hmac.new(key.encode(), timestamp.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    return f"sha256={digest}".encode()
