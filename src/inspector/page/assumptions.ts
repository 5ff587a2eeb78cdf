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
  const differing = all.filter(
    ([key, { default: usual }]) => choices !== undefined && choices[key] !== usual,
  );
  const found = all.filter(([key, { question }]) =>
    `${key} ${question}`.toLowerCase().includes(search.toLowerCase()),
  );
  const shown = search === "" ? differing : found;
  const count = `${all.length} questions that the specification leaves open`;
  return html`
    <${Search} label=${`Search ${count}`} value=${search} onSearch=${(text: string) => go({ search: text }, "replace")} />
    <${Waiting} loaded=${chosen} />
    ${
      choices !== undefined &&
      html`<p class="quiet">${
        search !== ""
          ? `${found.length} of ${count}.`
          : differing.length === 0
            ? `All ${all.length} have their defaults.`
            : `${differing.length} of ${all.length} differ from the defaults:`
      }</p>`
    }
    ${shown.map(
      ([
        key,
        { question, spec, caution, choices: all, default: usual },
      ]) => html`<details class="point" key=${key} open=${shown.length === 1}>
        <summary>${question} <code>${key}=${choices?.[key]}</code></summary>
        ${Object.entries(all).map(
          ([choice, says]) => html`<div class="choice" key=${choice}>
            ${!source.isFile && html`<${ActionButton} label=${choice} isOn=${choice === choices?.[key]} act=${() => choose(key, choice)} />`}
            <p>${source.isFile && html`<b>${choice}</b> `}${choice === usual && html`<span class="quiet">Default. </span>`}${says}</p>
          </div>`,
        )}
        <p class="quiet">${caution} Specification ${spec}.</p>
      </details>`,
    )}`;
}
