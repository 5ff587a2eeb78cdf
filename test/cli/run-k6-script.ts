/** Runs an exported k6 script in Node, on modules that stand for those of k6. It can't show that the real k6 takes it. */

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";

export interface K6Executor {
  readonly executor: string;
  readonly startTime: string;
  readonly timeUnit: string;
  readonly startRate?: number;
  readonly stages?: readonly { readonly duration: string; readonly target: number }[];
  readonly preAllocatedVUs: number;
  readonly maxVUs: number;
  readonly gracefulStop: string;
}

export interface K6Options {
  readonly scenarios: Readonly<Record<string, K6Executor>>;
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
}

export interface K6Params {
  readonly timeout: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** What happens in an iteration. */
export interface K6World {
  readonly scenario: { readonly name: string; readonly iterationInTest: number };
  /** Undefined: no answer. */
  readonly send: (request: ApiRequest, params: K6Params, origin: string) => ApiResponse | undefined;
  readonly sleep: (seconds: number) => void;
}

export interface K6Script {
  readonly options: K6Options;
  readonly iterate: (world: K6World) => void;
  /** What was added to each metric and check: for rates and checks 0 or 1. */
  readonly samples: ReadonlyMap<string, readonly number[]>;
  /** The type of each metric that the script declares. */
  readonly metrics: ReadonlyMap<string, string>;
}

/** `env`: what k6 gets with -e. */
export function loadK6Script(path: string, env: Readonly<Record<string, string>> = {}): K6Script {
  const samples = new Map<string, number[]>();
  const metrics = new Map<string, string>();
  let world: K6World | undefined;
  const here = (): K6World => {
    if (world === undefined) throw new Error("k6 has this only in iterations.");
    return world;
  };
  function add(name: string, value: number): void {
    samples.set(name, samples.get(name) ?? []);
    samples.get(name)?.push(value);
  }
  function metricOf(type: string) {
    return function Metric(name: string) {
      metrics.set(name, type);
      return { add: (value: unknown) => add(name, Number(value)) };
    };
  }
  const modules = {
    k6: {
      sleep: (seconds: number) => here().sleep(seconds),
      check(value: unknown, checks: Readonly<Record<string, (value: unknown) => unknown>>): void {
        for (const [name, holds] of Object.entries(checks)) add(name, holds(value) ? 1 : 0);
      },
    },
    "k6/data": {
      SharedArray: function SharedArray(_name: string, load: () => unknown[]) {
        return Object.freeze(load());
      },
    },
    "k6/execution": {
      get scenario() {
        return here().scenario;
      },
    },
    "k6/http": {
      request: (method: string, url: string, body: string | undefined, params: SentParams) =>
        exchange(here(), method, new URL(url), body, params),
    },
    "k6/metrics": { Counter: metricOf("Counter"), Rate: metricOf("Rate") },
  };
  const open = (file: string): string => readFileSync(resolve(dirname(path), file), "utf8");
  const run = new Function("modules", "__ENV", "open", asFunction(readFileSync(path, "utf8")));
  const { options, iterate } = run(modules, env, open);
  return {
    options,
    iterate(next) {
      world = next;
      iterate();
      world = undefined;
    },
    samples,
    metrics,
  };
}

/** The module's text as the body of a function. */
function asFunction(module: string): string {
  const body = module
    .replaceAll(/^import (.+) from ("k6[^"]*");$/gm, "const $1 = modules[$2];")
    .replaceAll(/^export const /gm, "const ")
    .replace(/^export default function \(/m, "function iterate(");
  return `"use strict";\n${body}\nreturn { options, iterate };`;
}

interface SentParams extends K6Params {
  readonly headers: Readonly<Record<string, string>>;
}

function exchange(
  { send }: K6World,
  method: string,
  { origin, pathname, search }: URL,
  body: string | undefined,
  params: SentParams,
): object {
  const request = { method, path: pathname, query: search, headers: params.headers, body };
  const response = send(request, params, origin);
  if (response === undefined) return { status: 0, headers: {}, json: () => JSON.parse("") };
  const headers = Object.entries(response.headers).map(([name, value]) => [goName(name), value]);
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    json: () => JSON.parse(response.body),
  };
}

/** Go writes the first letter and those after a hyphen as capitals, and all others small. */
function goName(name: string): string {
  return name.toLowerCase().replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
