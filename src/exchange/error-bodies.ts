/** The shapes of an error body (spec §7: "not shown"). Details are for people and repeat no secrets: all of it may be shown. */

import type { Choice } from "../spec/assumptions/catalogue.ts";
import { errorKinds, type Rejection } from "../spec/errors.ts";

export interface ErrorBody {
  /** Undefined where there is no body. */
  readonly contentType: string | undefined;
  /** Whether it is JSON with objects of more than one member. */
  readonly hasOrder: boolean;
  write(rejection: Rejection, status: number): string;
}

const JSON_TYPE = "application/json";

export const errorBodies: Readonly<Record<Choice<"errors.body">, ErrorBody>> = {
  problem: {
    contentType: "application/problem+json",
    hasOrder: true,
    write: (rejection, status) =>
      JSON.stringify({
        type: `urn:adsim:error:${rejection.code}`,
        title: errorKinds[rejection.code].title,
        status,
        detail: rejection.detail,
        code: rejection.code,
        parameter: rejection.parameter,
      }),
  },
  envelope: {
    contentType: JSON_TYPE,
    hasOrder: true,
    write: (rejection) => JSON.stringify({ error: entryOf(rejection) }),
  },
  flat: {
    contentType: JSON_TYPE,
    hasOrder: false,
    write: ({ detail }) => JSON.stringify({ error: detail }),
  },
  list: {
    contentType: JSON_TYPE,
    hasOrder: true,
    write: (rejection) => JSON.stringify({ errors: [entryOf(rejection)] }),
  },
  text: {
    contentType: "text/plain; charset=utf-8",
    hasOrder: false,
    write: ({ detail }) => detail,
  },
  html: {
    contentType: "text/html; charset=utf-8",
    hasOrder: false,
    write: ({ code, detail }) => pageOf(errorKinds[code].title, detail),
  },
  empty: {
    contentType: undefined,
    hasOrder: false,
    write: () => "",
  },
};

function entryOf({ code, detail, parameter }: Rejection): object {
  return { code, message: detail, parameter };
}

function pageOf(title: string, detail: string): string {
  const [heading, text] = [escaped(title), escaped(detail)];
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${heading}</title></head>` +
    `<body><h1>${heading}</h1><p>${text}</p></body></html>`
  );
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
