"""Tests the client against a simulator: npx adsim exec --clock frozen -- python3 -m unittest -v"""

import json
import os
import unittest
import urllib.request

from ads import Ads, Refused

URL = os.environ["ADSIM_URL"]
PUBLISHER = os.environ["ADSIM_PUBLISHER_ID"]
SURFACE = os.environ["ADSIM_SURFACE_ID"]


def control(method, path, body=None):
    """Sends a request to the control API."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{URL}/_sim/{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as response:
        text = response.read()
    return json.loads(text) if text else None


def wait(seconds):
    """Replaces time.sleep: moves the simulator's clock instead of waiting."""
    control("POST", "clock/advance", {"by": round(seconds * 1000)})


class AdsTest(unittest.TestCase):
    def setUp(self):
        control("POST", "reset")
        self.ads = Ads(URL, os.environ["ADSIM_API_KEY"], PUBLISHER, sleep=wait)

    def test_a_click_belongs_to_its_impression(self):
        shown = self.ads.impression(SURFACE, "ad-1", "session-1")
        self.assertTrue(self.ads.click(shown["impression_id"])["ok"])

    def test_yesterday_is_in_the_stats(self):
        before = self.ads.stats("2026-01-15")["impressions"]
        self.ads.impression(SURFACE, "ad-1", "session-1")
        wait(24 * 3600)
        self.assertEqual(self.ads.stats("2026-01-15")["impressions"], before + 1)

    def test_an_unconfirmed_impression_counts_once(self):
        first_only = {"operation": "impression", "times": 1}
        for verdict in (
            {"kind": "lose-response"},
            {"kind": "truncate", "atByte": 10},
            {"kind": "garbage"},
            {"kind": "wrong-body", "wrong": "ok-false"},
            {"kind": "wrong-body", "wrong": "empty-id"},
            {"kind": "wrong-body", "wrong": "status-202"},
        ):
            with self.subTest(verdict):
                control("POST", "reset")
                control("POST", "faults", {"match": first_only, "verdict": verdict})
                self.ads.impression(SURFACE, "ad-1", "session-1")
                # The audit knows what the service did, even if the client doesn't.
                made = control("GET", "audit")["total"]["impressions"]
                self.assertEqual((made["attempts"], made["applied"]), (2, 1))

    def test_it_waits_as_long_as_it_is_told(self):
        verdict = {"kind": "respond", "status": 503, "headers": {"Retry-After": "30"}}
        control("POST", "faults", {"match": {"times": 1}, "verdict": verdict})
        self.ads.impression(SURFACE, "ad-1", "session-1")
        self.assertEqual(control("GET", "clock")["now"], "2026-01-15T00:00:30.000Z")

    def test_an_answer_that_confirms_nothing_is_no_success(self):
        shown = self.ads.impression(SURFACE, "ad-1", "session-1")
        for wrong in ("ok-false", "missing-id", "null-body", "status-202", "status-204"):
            with self.subTest(wrong):
                verdict = {"kind": "wrong-body", "wrong": wrong}
                control("POST", "faults", {"match": {"operation": "click", "times": 1}, "verdict": verdict})
                with self.assertRaises(ValueError):
                    self.ads.click(shown["impression_id"])

    def test_a_refusal_is_raised(self):
        with self.assertRaises(Refused) as caught:
            self.ads.click("nothing")
        self.assertEqual(caught.exception.status, 404)


if __name__ == "__main__":
    unittest.main()
