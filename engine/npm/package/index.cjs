"use strict";

module.exports = function Agoge(options) {
  return import("./index.js").then((loaded) => loaded.default(options));
};
module.exports.default = module.exports;
