/** Keys that live too long, and publishers that aren't one's own. */

import type { Defect } from "../defect.ts";

export const keyDefects: readonly Defect[] = [
  {
    scenario: "key-rotation",
    says: "a key that was seen before stays valid",
    file: "exchange/authenticate.ts",
    find: "return known.caller.account.keySerial === known.keySerial ? known : undefined;",
    replace: "return known;",
  },
  {
    scenario: "key-rotation",
    says: "a new key has what is left of the old one's quota",
    file: "world/accounts/accounts.ts",
    find: "account.reportingBucket = freshBuckets().reportingBucket;",
    replace: "",
  },
  {
    scenario: "key-rotation",
    says: "with a new key the recording quota starts anew",
    file: "world/accounts/accounts.ts",
    find: "account.reportingBucket = freshBuckets().reportingBucket;",
    replace: "Object.assign(account, freshBuckets());",
  },
  {
    scenario: "key-rotation",
    says: "401 comes without a challenge",
    file: "spec/responses.ts",
    find: '"401": \'Bearer realm="adsim"\',',
    replace: '"401": undefined,',
  },
  {
    scenario: "wrong-publisher",
    says: "a request for another publisher is answered as the caller's own",
    file: "exchange/authorize.ts",
    find: "return accounts.ordinalOf(id) === undefined ? nonexistent : foreignRefusal;",
    replace: "return accounts.ordinalOf(id) === undefined ? nonexistent : caller;",
  },
  {
    scenario: "wrong-publisher",
    says: "an answer reveals that a hidden publisher exists",
    file: "exchange/authorize.ts",
    find: '"404": nonexistent,',
    replace:
      '"404": refused({ ...nonexistent.rejection, detail: "publisher_id is another publisher\'s." }),',
  },
  {
    scenario: "wrong-publisher",
    says: "asking for another publisher spends its reporting quota",
    file: "exchange/authorize.ts",
    find: 'if (operation.limit === "reporting") return caller;',
    replace: "",
  },
];
