/** The forms of ids. Ids are opaque: nothing here decodes them. */

import { expected } from "./check.ts";
import type { Choices } from "./choices.ts";

export type IdKind = "publisher" | "surface" | "impression" | "click" | "payout" | "transaction";

const prefixes: Readonly<Record<IdKind, string>> = {
  publisher: "pub_",
  surface: "srf_",
  impression: "imp_",
  click: "clk_",
  payout: "pay_",
  transaction: "txn_",
};

const looks: Readonly<Record<Choices["ids.format"], (id: string, kind: IdKind) => boolean>> = {
  prefixed: (id, kind) =>
    id.startsWith(prefixes[kind]) && /^[0-9a-z]{13}$/.test(id.slice(prefixes[kind].length)),
  uuid: (id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id),
  digits: (id) => /^\d{20}$/.test(id) && BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER),
  "url-unsafe": (id) =>
    /^[A-Za-z0-9+/]+={1,2}$/.test(id) &&
    id.length % 4 === 0 &&
    id.includes("+") &&
    id.includes("/"),
};

/** @throws Error unless the id has the form of its kind. */
export function checkIdForm(id: unknown, kind: IdKind, format: Choices["ids.format"]): void {
  const fits = typeof id === "string" && looks[format](id, kind);
  expected(`the id of a ${kind} as ${format}`, fits, id);
}
