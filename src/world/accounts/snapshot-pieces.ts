/** Writes a snapshot as text piece by piece, so that the whole text is never in memory. */

import { createDigest } from "../../base/digest.ts";
import type { Book } from "../ledger/book.ts";
import { headText, type State, snapshotBegin } from "./snapshot.ts";

/** A snapshot as JSON text in pieces, one for each account. The digest covers the other pieces, so it comes last. */
export function* snapshotPieces({ accounts, ...state }: State<Book>): Generator<string> {
  const head = { ...snapshotBegin, ...state, accounts: [] } as const;
  const { accounts: _, ...shown } = head;
  const digest = createDigest();
  digest.text(headText(head));
  let before = `${JSON.stringify(shown).slice(0, -1)},"accounts":[`;
  for (const account of accounts) {
    const text = JSON.stringify({ ...account, book: account.book.save() });
    digest.text(text);
    yield before + text;
    before = ",";
  }
  yield `${before === "," ? "" : before}],"digest":"${digest.value()}"}`;
}
