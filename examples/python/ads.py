"""A small client of the Publisher Advertising API. It needs only Python's standard library."""

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """An answer other than 200."""

    def __init__(self, status, headers, body):
        super().__init__(f"{status}: {body}")
        self.status = status
        # How long the service asks us to wait, if it says so in seconds.
        after = headers.get("Retry-After", "")
        self.retry_after = int(after) if after.isdigit() else None


class Ads:
    def __init__(self, url, api_key, publisher, sleep=time.sleep):
        self.url, self.api_key, self.publisher = url, api_key, publisher
        self.sleep = sleep

    def impression(self, surface, ad, session, attempts=5):
        """Records that an ad was shown. Retries are safe: within the same session the service counts it once."""
        sent = {"publisher_id": self.publisher, "surface": surface, "ad_id": ad, "session_id": session}
        pause = 0.1
        for attempt in range(1, attempts + 1):
            try:
                return self._record("impression", sent)
            except Refused as refused:
                if attempt == attempts or refused.status not in (429, 500, 502, 503, 504):
                    raise
                self.sleep(refused.retry_after if refused.retry_after is not None else pause)
            except (OSError, http.client.HTTPException, ValueError):
                # There was no answer, or one that confirms nothing. The impression may have been recorded.
                if attempt == attempts:
                    raise
                self.sleep(pause)
            pause *= 2

    def click(self, impression_id):
        """Records a click. No retries: the specification doesn't say whether a second click counts."""
        return self._record("click", {"impression_id": impression_id})

    def stats(self, day):
        period = {"publisher_id": self.publisher, "from": day, "to": day}
        query = urllib.parse.urlencode(period)
        return self._send("GET", f"/v1/publisher/stats?{query}")

    def _record(self, event, sent):
        """Only ok and the id of the event say that it is recorded."""
        answer = self._send("POST", f"/v1/{event}", sent)
        name = answer.get(f"{event}_id")
        if answer.get("ok") is not True or not isinstance(name, str) or name == "":
            raise ValueError(f"the answer doesn't confirm the {event}: {answer}")
        return answer

    def _send(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                answer = json.load(response)
                # Other statuses and values aren't in the specification, even if they look like a success.
                if response.status != 200 or not isinstance(answer, dict):
                    raise ValueError(f"unexpected answer: {response.status} {answer}")
                return answer
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, error.headers, error.read().decode()) from None
