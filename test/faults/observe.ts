/** Three real clients, and what each of them makes of an answer, told in the same words. */

import { execFile } from "node:child_process";
// Not by name: MSW puts its own functions in place of these.
import http, { type IncomingMessage } from "node:http";

/** What a client got to see. */
export interface Seen {
  /** Undefined where no head came. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** In how many pieces the body came; undefined where the client doesn't tell. */
  readonly pieces?: number | undefined;
  /** What the client says went wrong, in its own words; undefined where it is content. */
  readonly failure: string | undefined;
}

export interface Patience {
  readonly until: Promise<unknown>;
  readonly ms: number;
}

export interface Sent {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** When the client has had enough: once this is kept. Curl goes by the time alone. */
  readonly patience?: Patience | undefined;
}

export type Observe = (sent: Sent) => Promise<Seen>;

/** As `fetch` tells it: the error's message, and the code or message of its cause. */
export function observeFetch(send: typeof fetch): Observe {
  return async ({ url, method = "GET", headers = {}, body, patience }) => {
    const controller = new AbortController();
    const { signal } = controller;
    void patience?.until.then(() => controller.abort());
    const chunks: Uint8Array[] = [];
    let response: Response | undefined;
    let failure: string | undefined;
    try {
      response = await send(url, {
        method,
        headers,
        body: body ?? null,
        signal,
        redirect: "manual",
      });
      for await (const chunk of response.body ?? []) chunks.push(chunk);
    } catch (error) {
      failure = described(error);
    }
    return {
      status: response?.status,
      headers: Object.fromEntries(response?.headers ?? []),
      body: Buffer.concat(chunks),
      pieces: chunks.length,
      failure,
    };
  };
}

function described(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: string; name?: string } };
  const { name, message } = error;
  return [name, message, cause?.code ?? cause?.name].filter(Boolean).join(": ");
}

/** As `node:http` tells it: the error's code and message. */
export const observeHttp: Observe = ({ url, method = "GET", headers = {}, body, patience }: Sent) =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let response: IncomingMessage | undefined;
    let failure: string | undefined;
    const fail = (error: Error & { code?: string }): void => {
      failure ??= [error.code, error.message].filter(Boolean).join(": ");
    };
    const done = (): void => {
      const { statusCode: status, headers: got = {} } = response ?? {};
      const fields = Object.entries(got).map(([name, value]) => [name, String(value)]);
      const complete = response === undefined || response.complete;
      if (!complete) failure ??= "incomplete";
      const seen = { status, headers: Object.fromEntries(fields), body: Buffer.concat(chunks) };
      resolve({ ...seen, pieces: chunks.length, failure });
    };
    // A connection of its own, so that no other request's fate is this one's.
    const sent = http.request(url, { method, headers, agent: false }, (incoming) => {
      response = incoming;
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", fail);
      incoming.on("close", done);
    });
    sent.on("error", (error) => {
      fail(error);
      if (response === undefined) done();
    });
    void patience?.until.then(() => sent.destroy(new Error("impatient")));
    sent.end(body);
  });

/** As curl tells it: its exit code. */
export const observeCurl: Observe = ({ url, method = "GET", headers = {}, body, patience }: Sent) =>
  new Promise((resolve) => {
    const named = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const data = body === undefined ? [] : ["--data-binary", String(body)];
    const limit = patience === undefined ? [] : ["--max-time", String(patience.ms / 1000)];
    const options = ["-sS", "-i", "-X", method, ...named, ...data, ...limit, url];
    execFile("curl", options, { encoding: "buffer" }, (error, output) => {
      const end = output.indexOf("\r\n\r\n");
      const [line = "", ...fields] = output.subarray(0, Math.max(end, 0)).toString().split("\r\n");
      const pairs = fields.map((field) => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      });
      resolve({
        status: end === -1 ? undefined : Number(line.split(" ")[1]),
        headers: Object.fromEntries(pairs),
        body: output.subarray(end === -1 ? output.length : end + 4),
        failure: error === null ? undefined : `exit ${error.code}`,
      });
    });
  });
