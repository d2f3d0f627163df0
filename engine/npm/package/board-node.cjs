"use strict";

module.exports = function Module(options) {
  return import("./board-node.js").then((loaded) => loaded.default(options));
};
module.exports.default = module.exports;
