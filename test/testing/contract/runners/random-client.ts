/** A client that draws its session ids, its pauses and its keys from the machine's random functions, and repeats clicks. */

import type { DriverContext } from "../../../../src/contract.ts";
import type { Driver } from "../../../../src/testing/driver/driver.ts";

interface Receipt {
  readonly impression_id: string;
}

export function createRandomClient({
  baseUrl,
  apiKey,
  publisherId,
}: DriverContext): Driver<Receipt> {
  const name = Array.from(crypto.getRandomValues(new Uint16Array(4)), (part) => part.toString(36));

  async function send(path: string, values: object): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await fetch(`${baseUrl}${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
          body: JSON.stringify(values),
        });
        return await response.json();
      } catch (error) {
        if (attempt === 3) throw error;
        const pauseMs = attempt * 1000 * (1 + Math.random());
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  return {
    impression: async ({ surface, ad }) =>
      (await send("/v1/impression", {
        publisher_id: publisherId,
        surface,
        ad_id: ad,
        session_id: `${name.join("-")}-${crypto.randomUUID()}`,
      })) as Receipt,
    click: ({ impression_id }) => send("/v1/click", { impression_id }),
    close() {},
  };
}
