/** Runs an exported k6 script in Node, on modules that stand for those of k6. It can't show that the real k6 takes it. */

import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";

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
  readonly options: {
    readonly scenarios: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  readonly iterate: (world: K6World) => void;
}

/** `env`: what k6 gets with -e. */
export function loadK6Script(text: string, env: Readonly<Record<string, string>> = {}): K6Script {
  let world: K6World | undefined;
  const here = (): K6World => {
    if (world === undefined) throw new Error("k6 has this only in iterations.");
    return world;
  };
  const modules = {
    k6: {
      sleep: (seconds: number) => here().sleep(seconds),
      check: (value: unknown, checks: Readonly<Record<string, (value: unknown) => boolean>>) =>
        Object.values(checks).every((holds) => holds(value)),
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
        const answer = here().send(request, params.tags.name, origin) ?? { status: 0, body: "" };
        return { status: answer.status, json: () => JSON.parse(answer.body) };
      },
    },
  };
  const { options, iterate } = new Function("modules", "__ENV", asFunction(text))(modules, env);
  return {
    options,
    iterate(next) {
      world = next;
      iterate();
      world = undefined;
    },
  };
}

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
