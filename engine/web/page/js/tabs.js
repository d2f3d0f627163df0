/** The tabs of the places. A narrow page shows those that are used least behind a button. */
import { $, h, icon } from "./dom.js";
import { t } from "./i18n.js";

const MINOR = ["setup", "watch", "games"];

/** `places` are pairs of a name and a title, `onChoose` gets a name. */
export function showTabs(places, onChoose) {
  const choose = (name) => () => {
    open(false);
    onChoose(name);
  };
  const tabs = places.map(([name, title]) => h("button", { type: "button", class: "tab", "data-mode": name, onclick: choose(name) }, title));
  const isMinor = ({ dataset }) => MINOR.includes(dataset.mode);
  const minor = h("div", { class: "minor-tabs", id: "minor-tabs" }, tabs.filter(isMinor));
  const more = h("button", { type: "button", class: "tab", id: "more-tabs", "aria-label": t("More"), title: t("More"), "aria-controls": "minor-tabs", "aria-expanded": "false", onclick: () => open(!minor.classList.contains("open")) }, icon("menu"));
  const open = (isOpen) => {
    minor.classList.toggle("open", isOpen);
    more.setAttribute("aria-expanded", String(isOpen));
  };
  const nav = $("modes");
  nav.append(...tabs.filter((tab) => !isMinor(tab)), more, minor);
  nav.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !minor.classList.contains("open")) return;
    open(false);
    more.focus();
  });
  document.addEventListener("pointerdown", ({ target }) => nav.contains(target) || open(false));
  nav.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !nav.contains(relatedTarget) && open(false));
}
