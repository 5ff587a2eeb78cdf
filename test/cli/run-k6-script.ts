/** Runs an exported k6 script in Node, on modules that stand for those of k6. It can't show that the real k6 takes it. */

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";

export interface K6Options {
  readonly scenarios: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
}

/** What happens in an iteration. */
export interface K6World {
  readonly scenario: { readonly name: string; readonly iterationInTest: number };
  /** Undefined: no answer. */
  readonly send: (
    request: ApiRequest,
    operation: string,
    origin: string,
  ) => Pick<ApiResponse, "status" | "body"> | undefined;
  readonly sleep: (seconds: number) => void;
}

export interface K6Script {
  readonly options: K6Options;
  readonly iterate: (world: K6World) => void;
  /** What was added to each metric and check: 0 or 1. */
  readonly samples: ReadonlyMap<string, readonly number[]>;
}

/** `env`: what k6 gets with -e. */
export function loadK6Script(path: string, env: Readonly<Record<string, string>> = {}): K6Script {
  const samples = new Map<string, number[]>();
  let world: K6World | undefined;
  const here = (): K6World => {
    if (world === undefined) throw new Error("k6 has this only in iterations.");
    return world;
  };
  function add(name: string, value: unknown): void {
    samples.set(name, [...(samples.get(name) ?? []), Number(value)]);
  }
  const modules = {
    k6: {
      sleep: (seconds: number) => here().sleep(seconds),
      check(value: unknown, checks: Readonly<Record<string, (value: unknown) => unknown>>): void {
        for (const [name, holds] of Object.entries(checks)) add(name, holds(value));
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
      request(method: string, url: string, body: string | undefined, params: Params) {
        const { origin, pathname: path, search: query } = new URL(url);
        const request = { method, path, query, headers: params.headers, body };
        const { status, body: text } = here().send(request, params.tags.name, origin) ?? nothing;
        return { status, json: () => JSON.parse(text) };
      },
    },
    "k6/metrics": {
      Rate: function Rate(name: string) {
        return { add: (value: unknown) => add(name, value) };
      },
    },
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
  };
}

const nothing = { status: 0, body: "" };

interface Params {
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: { readonly name: string };
}

/** The module's text as the body of a function. */
function asFunction(module: string): string {
  const body = module
    .replaceAll(/^import (.+) from ("k6[^"]*");$/gm, "const $1 = modules[$2];")
    .replaceAll(/^export const /gm, "const ")
    .replace(/^export default function \(/m, "function iterate(");
  return `"use strict";\n${body}\nreturn { options, iterate };`;
}
