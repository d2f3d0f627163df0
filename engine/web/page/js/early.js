/**
 * Says why the page does not start, in case its scripts or styles cannot be loaded. Not a module, so that it also runs in a
 * page that was opened from a file, where browsers load no modules.
 */
(() => {
  const TEXTS = {
    en: ["The file {name} could not be loaded.", "Try again", "This page only works on a web server, not from a file. On your own machine use agoge gui, or start python3 -m http.server in its folder."],
    de: ["Die Datei {name} konnte nicht geladen werden.", "Noch einmal", "Diese Seite geht nur auf einem Webserver, nicht aus einer Datei. Nimm auf dem eigenen Rechner agoge gui, oder starte python3 -m http.server in ihrem Ordner."],
    el: ["Το αρχείο {name} δεν μπόρεσε να φορτωθεί.", "Ξανά", "Η σελίδα λειτουργεί μόνο σε διακομιστή ιστού, όχι από αρχείο. Στον υπολογιστή σας χρησιμοποιήστε το agoge gui ή ξεκινήστε το python3 -m http.server στον φάκελό της."],
    es: ["No se pudo cargar el archivo {name}.", "Intentar de nuevo", "Esta página solo funciona en un servidor web, no desde un archivo. En tu ordenador usa agoge gui o inicia python3 -m http.server en su carpeta."],
    fr: ["Le fichier {name} n’a pas pu être chargé.", "Réessayer", "Cette page ne fonctionne que sur un serveur web, pas depuis un fichier. Sur votre ordinateur, utilisez agoge gui ou lancez python3 -m http.server dans son dossier."],
    zh: ["无法加载文件 {name}。", "再试一次", "本页面只能通过网络服务器打开，不能直接打开文件。在自己的电脑上请使用 agoge gui，或在页面所在文件夹运行 python3 -m http.server。"],
  };
  const code = navigator.languages.map((name) => name.slice(0, 2)).find((name) => name in TEXTS);
  const [failed, again, onlyFile] = TEXTS[code ?? "en"];
  const isFile = location.protocol === "file:";

  function tell(text) {
    const bar = document.getElementById("connection");
    if (!bar) return addEventListener("DOMContentLoaded", () => tell(text));
    if (!bar.hidden) return undefined;
    bar.textContent = text;
    if (!isFile) {
      const button = document.createElement("button");
      Object.assign(button, { className: "button small", textContent: again, onclick: () => location.reload() });
      bar.append(" ", button);
    }
    bar.hidden = false;
    return undefined;
  }

  function isLoaded(style) {
    try {
      return style.sheet.cssRules.length > 0;
    } catch {
      return false;
    }
  }

  const tellFailed = (address) => tell(failed.replace("{name}", address.split("/").pop()));

  if (isFile) return tell(onlyFile);
  // A script waits for the styles before it, and modules for the end of the document.
  for (const style of document.querySelectorAll("link[rel=stylesheet]")) if (!isLoaded(style)) tellFailed(style.href);
  return addEventListener("error", ({ target }) => target.tagName === "SCRIPT" && tellFailed(target.src), true);
})();
