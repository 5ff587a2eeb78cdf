/** The curl command of an entry, pasted into real shells: the server gets the same request again. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ambientHeaders, curlOfRequest } from "../../src/audit/nearest/curl.ts";
import { type ApiRequest, createSimulator, type JournalEntry } from "../../src/index.ts";
import { inUrl } from "../../src/journal/har.ts";
import { parityOptions } from "../parity-requests.ts";
import { hasCurl } from "../programs.ts";
import { fileOf } from "../temporary-folder.ts";
import { serve } from "./raw.ts";

const run = promisify(execFile);
const JSON_TYPE = { "content-type": "application/json" };

/** What a shell, a terminal or curl could change. */
const odd: readonly ApiRequest[] = [
  ...[
    'it\'s "quoted" $HOME `id` \\ \\n !! %s %% {a,b} [1-3] *',
    "@/etc/passwd",
    "line\nline\r\nline\n",
    "\t\u0007\u001b[31m\u0000nul\u0001",
    "\ufeffहिन्दी ü \u{1f600} \u202ebidi\u200b",
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
  ].map(
    (body): ApiRequest => ({ method: "POST", path: "/v1/impression", headers: JSON_TYPE, body }),
  ),
  { method: "PUT", path: "/v1/click", headers: { "content-type": "text/x'y" }, body: "@x" },
  { method: "GET", path: "/v1/x", body: "\u0000" },
  ...[
    "a=[1-3]&b={x,y}&c[]=1",
    "a='&b=\"&c=`id`&d=$HOME&e=$(id)&f=;ls&g=|&h=\\&i=!!",
    "ü=हि&a b=c d&#=1&<>=^&a=%27%00%ff&%",
    "=&&=?",
  ].map((query): ApiRequest => ({ method: "POST", path: "/v1/impression", query, body: "x=1" })),
  ...["/", "/a//b", "/[x]/{y}", "/it's/$HOME"].map((path): ApiRequest => ({ method: "GET", path })),
  ...["HEAD", "DELETE", "OPTIONS", "TRACE", "PURGE", "POST"].map(
    (method): ApiRequest => ({ method, path: "/v1/publisher/stats" }),
  ),
  {
    method: "GET",
    path: "/v1/x",
    headers: { "x-quote": 'it\'s "$HOME" `id` \\', "x-empty": "", "x-at": "@/etc/passwd" },
  },
];

/** The parts of an entry that the command has to repeat. */
function essence({ request }: JournalEntry): unknown {
  const { method, path, query, headers, body, bodyBase64 } = request;
  const kept = Object.entries(headers).filter(([name]) => !ambientHeaders.has(name));
  const others = Object.fromEntries(kept.sort(([one], [other]) => (one < other ? -1 : 1)));
  const hasBody = method !== "HEAD";
  return [method, inUrl(path), inUrl(query), others, hasBody && body, hasBody && bodyBase64];
}

/** Sends requests in process, and then again as the server says. @returns both entries of each, and the command. */
async function sendAgain(
  requests: readonly ApiRequest[],
  { secrets = "shown", key = "" } = {},
): Promise<{ before: JournalEntry; after: JournalEntry; command: string }[]> {
  await using server = await serve({ ...parityOptions, journalEntries: 100_000 });
  const { journal } = server.worlds.get("default");
  for (const request of requests) server.worlds.handle(request);
  const first = journal.entries({ secrets: "shown" });
  const commands: string[] = [];
  for (const { sequence } of first) {
    const response = await fetch(`${server.url}/_sim/journal/${sequence}?secrets=${secrets}`);
    commands.push((await response.json()).curl);
  }
  const env = { ...process.env, ADSIM_API_KEY: key };
  const file = fileOf(commands.join("\n"), "commands");
  await run("sh", [file], { env, maxBuffer: 1e9, encoding: "buffer" });
  const again = journal.entries({ secrets: "shown", after: first.length });
  expect(again.length).toBe(first.length);
  return first.map((before, index) => {
    const [after, command] = [again[index], commands[index]];
    if (after === undefined || command === undefined) throw new Error("Fewer than expected.");
    return { before, after, command };
  });
}

test.skipIf(!hasCurl)("sh repeats odd requests exactly", async () => {
  for (const { before, after, command } of await sendAgain(odd)) {
    expect(essence(after), command.slice(0, 500)).toEqual(essence(before));
  }
});

test.skipIf(!hasCurl)("with secrets redacted, the key comes from the environment", async () => {
  const { id, apiKey } = createSimulator(parityOptions).publishers.at(0);
  const requests = [`Bearer ${apiKey}`, `bEARER  ${apiKey}`, apiKey].map(
    (authorization): ApiRequest => ({
      method: "GET",
      path: "/v1/publisher/stats",
      query: `publisher_id=${id}`,
      headers: { authorization },
    }),
  );
  const sent = await sendAgain(requests, { secrets: "redacted", key: apiKey });
  for (const { before, after, command } of sent) {
    expect(command).not.toContain(apiKey);
    expect(essence(after)).toEqual(essence(before));
    expect(after.response.status).toBe(before.response.status);
  }
});

test("other credentials are left out, whatever they are", () => {
  const request = { method: "GET", path: "/v1/x", query: "", body: "" };
  const headers = { authorization: "Basic dXNlcjpzZWNyZXQ=", "x-api-key": "one" };
  expect(curlOfRequest({ ...request, headers }, { secrets: "redacted" })).toBe(
    `curl "$ADSIM_URL"'/v1/x' -H 'authorization: Basic '"$ADSIM_API_KEY" -H 'x-api-key: (redacted)'`,
  );
});
