/** The catalogue of assumptions, with the choice in force of each. */

import { html } from "htm/preact";
import type { Assumption } from "../../spec/assumptions/catalogue.ts";
import { textOf } from "./fields.ts";
import { useLoaded } from "./loading.ts";
import type { ViewProps } from "./log.ts";
import { ActionButton, OnServer, type Part, Waiting } from "./parts.ts";
import { go, usePlace } from "./place.ts";

type Choices = Readonly<Record<string, string>>;

export function AssumptionsSection({ api, version, catalogue }: ViewProps): Part {
  const place = usePlace();
  const inForce = useLoaded(() => api.get<Choices>("assumptions"), [api], { version });
  const { search = "", changed } = place;
  const choose = async (key: string, choice: string): Promise<void> => {
    await api.send("PATCH", "assumptions", { [key]: choice });
    inForce.reload();
  };
  const points = Object.entries(catalogue).filter(
    ([key, point]) =>
      `${key} ${point.question}`.toLowerCase().includes(search.toLowerCase()) &&
      (changed === undefined || inForce.value?.[key] !== point.default),
  );
  return html`
    <div class="buttons" role="search">
      <input type="search" aria-label="Search" placeholder="Search keys and questions" value=${search}
        onInput=${(event: Event) => go({ search: textOf(event) }, "replace")} />
      <label class="check"><input type="checkbox" checked=${changed !== undefined}
        onChange=${() => go({ changed: changed === undefined ? "1" : undefined }, "replace")} />only changed ones</label>
    </div>
    <p class="quiet">${points.length} of ${Object.keys(catalogue).length} questions that the specification leaves open.</p>
    <${Waiting} loaded=${inForce} />
    ${points.map(
      ([key, point]) => html`<${AssumptionRow} key=${key} name=${key} point=${point}
        chosen=${inForce.value?.[key]} onChoose=${(choice: string) => choose(key, choice)} />`,
    )}`;
}

function AssumptionRow(props: {
  readonly name: string;
  readonly point: Assumption;
  readonly chosen: string | undefined;
  onChoose(choice: string): Promise<void>;
}): Part {
  const { name, point, chosen, onChoose } = props;
  const isChanged = chosen !== undefined && chosen !== point.default;
  return html`<details class=${`point ${isChanged ? "changed" : ""}`}>
    <summary>${point.question}${" "}
      <span class="quiet"><code>${name}=${chosen}</code>${isChanged && html` <mark>changed</mark>`}</span>
    </summary>
    <ul class="choices">
      ${Object.entries(point.choices).map(
        ([choice, says]) => html`<li key=${choice}>
          ${
            choice === chosen
              ? html`<span class="in-force">in force</span>`
              : html`<${OnServer}><${ActionButton} label="choose" act=${() => onChoose(choice)} /></${OnServer}>`
          }
          <span><b>${choice}</b>${choice === point.default && html` <span class="quiet">(default)</span>`} ${says}</span>
        </li>`,
      )}
    </ul>
    <p class="quiet">Specification ${point.spec}. ${point.caution}</p>
  </details>`;
}
