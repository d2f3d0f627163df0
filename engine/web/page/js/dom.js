/** Small helpers for the page's elements. */
import { t } from "./i18n.js";

/** Makes an element. Properties that begin with `on` are listeners, others are attributes; false and null are left out. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") element[name] = value;
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

/** Makes an SVG element. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const ICONS = {
  first: "M18 6l-7 6 7 6M7 6v12", previous: "M15 6l-7 6 7 6", next: "M9 6l7 6-7 6", last: "M6 6l7 6-7 6M17 6v12",
  flip: "M7 4v14m0 0-3-3m3 3 3-3M17 20V6m0 0-3 3m3-3 3 3",
  hint: "M9 18h6m-5 3h4M12 3a6 6 0 0 0-3 11v2h6v-2a6 6 0 0 0-3-11z", back: "M9 8 4 12l5 4M4 12h10a5 5 0 0 1 0 8h-2", close: "M6 6l12 12M18 6 6 18",
  keys: "M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8", menu: "M4 7h16M4 12h16M4 17h16",
  draw: "M5 9l3-2v6M19 5 6 20M14 15.5q0-2.5 2.5-2.5t2.5 2.5q0 1.5-5 5h5", flag: "M6 21V4h12l-3 4 3 4H6", search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21",
  add: "M12 5v14M5 12h14", again: "M4 12a8 8 0 0 1 14-5l2 2m0-5v5h-5M20 12a8 8 0 0 1-14 5l-2-2m0 5v-5h5", open: "M3 19V5h6l2 3h8v3M3 19l3-8h16l-3 8z",
  save: "M12 4v11m-4-4 4 4 4-4M5 20h14", bin: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13", up: "M12 20V5m-6 6 6-6 6 6",
  play: "M8 5l11 7-11 7z", settings: "M4 7h9m5 0h2M4 17h2m5 0h9M18 7a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM11 17a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z", comment: "M4 5h16v11h-9l-5 4v-4H4z",
  eye: "M2 12q10-13 20 0-10 13-20 0zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z", learn: "M3 9l9-4 9 4-9 4zM7 11v5q5 3 10 0v-5", chart: "M4 4v16h16M8 15l4-5 3 3 5-7",
};

/** A picture for a button. */
export const icon = (name) => s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));

export const button = (text, onclick, properties = {}) =>
  h("button", { type: "button", class: "button", onclick, ...properties }, text);

/** A button of a tool bar: a picture above a short text. */
export const tool = (name, text, onclick, properties = {}) => h("button", { type: "button", class: "tool", onclick, ...properties }, icon(name), h("span", {}, text));

/** Lets a button show and hide an element, and tell which of both it did. */
export function opener(control, element) {
  control.setAttribute("aria-expanded", "false");
  control.setAttribute("aria-controls", element.id);
  control.addEventListener("click", () => {
    element.hidden = !element.hidden;
    control.setAttribute("aria-expanded", String(!element.hidden));
    if (!element.hidden) element.scrollIntoView({ block: "nearest" });
  });
  return control;
}

/** A bar of tools. */
export const toolBar = (...tools) => h("div", { class: "tool-bar" }, h("div", { class: `tools of-${tools.length}`, role: "group" }, tools));

/**
 * A tool that acts when it is pressed twice: after the first time it shows a question, the result of a function. Escape,
 * the cross beside it and whatever is done elsewhere take the first time back.
 */
export function confirmTool(name, text, question, act, properties = {}) {
  const main = tool(name, text, ({ detail }) => {
    // A double click is not meant as two presses.
    if (detail > 1) return undefined;
    if (!cancel.hidden) return act();
    label.textContent = question();
    // Some browsers do not give the focus to a button that is clicked.
    main.focus();
    return show(true);
  }, properties);
  const label = main.querySelector("span");
  const show = (isAsking) => {
    cancel.hidden = !isAsking;
    main.classList.toggle("asking", isAsking);
  };
  const reset = () => {
    label.textContent = text;
    show(false);
  };
  const cancel = iconButton("close", t("Cancel"), () => {
    reset();
    main.focus();
  }, { hidden: true });
  const keyDown = (event) => {
    if (event.key !== "Escape" || cancel.hidden) return;
    event.stopPropagation();
    reset();
    main.focus();
  };
  const group = h("span", { class: "confirm", onkeydown: keyDown, onfocusout: ({ relatedTarget }) => group.contains(relatedTarget) || reset() }, main, cancel);
  return group;
}

export const iconButton = (name, label, onclick, properties = {}) =>
  h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...properties }, icon(name));

/** A control with a label above it. */
export const field = (label, control) => h("label", { class: "field" }, h("span", {}, label), control);

/** A list to choose from: options are pairs of value and text. */
export function select(label, options, value, onchange) {
  const list = h("select", { onchange: () => onchange(list.value) }, options.map(([key, text]) => h("option", { value: key }, text)));
  list.value = value;
  return field(label, list);
}

/** A group of radio buttons with pictures or text. */
export function choice(legend, name, options, value, onchange, kind = "") {
  return h("fieldset", {}, h("legend", {}, legend), h("div", { class: `choice ${kind}` }, options.map(([key, text, picture]) =>
    h("label", {}, picture, h("input", { type: "radio", name, value: key, checked: key === value, onchange: () => onchange(key) }), text))));
}

export const checkbox = (text, checked, onchange) => {
  const box = h("input", { type: "checkbox", checked, onchange: () => onchange(box.checked) });
  return h("label", { class: "check" }, box, text);
};

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Says something to screen readers. */
export function announce(text) {
  $("live").textContent = text;
}

/** Shows a message for as long as it takes to read it. An action is a pair of a label and a function. */
export function toast(text, { isError = false, action = null } = {}) {
  const element = h("div", { class: isError ? "toast error" : "toast" }, text);
  if (action) {
    const [label, act] = action;
    element.append(" ", h("button", { type: "button", class: "button", onclick: () => { element.remove(); act(); } }, label));
  }
  $("toasts").append(element);
  const time = Math.max(isError || action ? 8000 : 4000, 80 * text.length);
  // A later message hides it: its action waits until that one has left.
  const leave = () => (action && element.nextElementSibling ? setTimeout(leave, time) : element.remove());
  setTimeout(leave, time);
}

/** Opens a dialog with a title; returns the element. */
export function dialog(title, ...children) {
  const element = h("dialog", { "aria-label": title, onclose: () => element.remove() },
    h("div", { class: "stack" },
      h("div", { class: "dialog-head" }, h("h2", {}, title), iconButton("close", t("Close"), () => element.close())), children));
  document.body.append(element);
  element.showModal();
  return element;
}

/** Asks the user whether to go on. Resolves to true or false. */
export function confirm(title, text, yes) {
  return new Promise((resolve) => {
    const element = dialog(title, h("p", {}, text), h("div", { class: "row-of" },
      button(yes, () => {
        resolve(true);
        element.close();
      }, { class: "button primary", id: "confirm" }), button(t("Cancel"), () => element.close())));
    element.addEventListener("close", () => resolve(false));
  });
}
