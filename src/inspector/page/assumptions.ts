/** What the specification leaves open, and what this world chose: what differs from the defaults, and a search for the rest. */

import { html } from "htm/preact";
import type { Choices } from "./contract.ts";
import { useLoaded } from "./loading.ts";
import { ActionButton, type DrawerProps, type Part, Search, Waiting } from "./parts.ts";
import { go, usePlace } from "./place.ts";

export function Assumptions({ source, version, catalogue }: DrawerProps): Part {
  const { search = "" } = usePlace();
  const chosen = useLoaded(() => source.get<Choices>("assumptions"), [source], version);
  const { value: choices } = chosen;
  const choose = async (key: string, choice: string): Promise<void> => {
    await source.send("PATCH", "assumptions", { [key]: choice });
    chosen.reload();
  };
  const all = Object.entries(catalogue);
  const shown = all.filter(([key, { question, default: usual }]) =>
    search === ""
      ? choices !== undefined && choices[key] !== usual
      : `${key} ${question}`.toLowerCase().includes(search.toLowerCase()),
  );
  return html`
    <${Search} label=${`Search ${all.length} questions that the specification leaves open`} value=${search} onSearch=${(text: string) => go({ search: text }, "replace")} />
    <${Waiting} loaded=${chosen} />
    <p class="quiet">${shown.length} of ${all.length} ${search === "" ? "differ from the defaults." : "found."}</p>
    ${shown.map(
      ([
        key,
        { question, spec, caution, choices: says, default: usual },
      ]) => html`<details class="point" key=${key} open=${shown.length === 1}>
        <summary>${question} <code>${key}=${choices?.[key]}</code></summary>
        ${Object.entries(says).map(
          ([choice, text]) => html`<div class="choice" key=${choice}>
            ${source.isFile ? html`<b>${choice}</b>` : html`<${ActionButton} label=${choice} isOn=${choice === choices?.[key]} act=${() => choose(key, choice)} />`}
            <p>${choice === usual && html`<span class="quiet">Default. </span>`}${text}</p>
          </div>`,
        )}
        <p class="quiet">${caution} Specification ${spec}.</p>
      </details>`,
    )}`;
}
