import { test } from "node:test";
import { assertNoRecordedClick, assertRecordedImpression } from "../../../src/assert.ts";
import { createSimulator } from "../../../src/index.ts";

test("passes", () => assertNoRecordedClick(createSimulator()));
test("fails", () => assertRecordedImpression(createSimulator()));
test("fails with both sides", () => assertRecordedImpression(createSimulator(), { ad: "ad-2" }));
