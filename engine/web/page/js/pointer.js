/** Mouse and touch on the board. */

/** The movement in pixels that makes a click a drag. */
const DRAG = 5;
/** The movement of the wheel in pixels that is a step. A notch of a mouse is about 100. */
const STEP = 40;

export class Pointer {
  /**
   * The piece under the pressed pointer: its `element`, its `square`, or its `letter` if it comes from elsewhere. It
   * follows the pointer if it `lifts`, once it has `moved`.
   */
  drag = null;

  constructor(board) {
    this.board = board;
    this.scrolled = 0;
    const { element } = board;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("touchend", (event) => this.touchEnd(event));
    // A long touch has the same event.
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    document.addEventListener("pointermove", (event) => event.isPrimary && this.move(event));
    document.addEventListener("pointerup", (event) => event.isPrimary && this.up(event));
    document.addEventListener("pointercancel", () => this.endDrag());
  }

  squareOf(event) {
    const box = this.board.element.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * 8);
    const row = Math.floor(((event.clientY - box.top) / box.height) * 8);
    return column >= 0 && column < 8 && row >= 0 && row < 8 ? this.board.squareAt(column, row) : null;
  }

  down(event) {
    const { board } = this;
    const square = this.squareOf(event);
    if (!square || !event.isPrimary || event.target.closest(".promotion")) return;
    this.tapped = false;
    board.keyboard.leave();
    if (event.button === 2) this.rightDown(square, event);
    if (event.button !== 0) return;
    board.drawing.clear();
    board.setFocus(square, false);
    if (board.editor) {
      this.take(event, { square, lifts: board.pieces.has(square) });
      return;
    }
    board.setPremove();
    const again = board.selected === square;
    if (!again && board.choose(square)) {
      this.tapped = true;
      return;
    }
    const use = board.useOf(square);
    if (use) this.take(event, { square, again, lifts: use !== "look" || board.isIdle });
  }

  /** The right button draws, and first of all it cancels. */
  rightDown(square, event) {
    const { board } = this;
    this.endDrag();
    if (board.editor) board.editor.erase(square);
    else if (!board.cancel()) {
      this.hold(event);
      board.drawing.begin(square, event);
    }
  }

  take(event, drag) {
    this.hold(event);
    this.drag = { element: this.board.elements.get(drag.square), moved: false, x: event.clientX, y: event.clientY, ...drag };
  }

  /** Takes a new piece from elsewhere, with the pointer on its picture. */
  carry(letter, event) {
    if (event.button !== 0 || !event.isPrimary) return;
    this.take(event, { letter, lifts: true, element: this.board.makePiece(letter) });
  }

  /** Gets the events even if the pointer leaves the window. */
  hold(event) {
    event.currentTarget.setPointerCapture(event.pointerId);
  }

  move(event) {
    const { board, drag } = this;
    if (board.drawing.current) board.drawing.move(this.squareOf(event));
    if (!drag?.lifts) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG) return;
    drag.moved = true;
    drag.element.classList.add("dragging");
    if (drag.letter && !drag.element.isConnected) board.pieceLayer.append(drag.element);
    const box = board.element.getBoundingClientRect();
    const size = box.width / 8;
    drag.element.style.transform = `translate(${event.clientX - box.left - size / 2}px, ${event.clientY - box.top - size / 2}px) scale(1.12)`;
    const over = this.squareOf(event);
    for (const [square, cell] of board.cells) cell.classList.toggle("drop", square === over && square !== drag.square);
  }

  up(event) {
    const { board, drag } = this;
    const square = this.squareOf(event);
    if (board.drawing.current) {
      board.drawing.end();
      return;
    }
    if (!drag) return;
    this.endDrag();
    if (board.editor) this.edit(drag, square);
    else if (!drag.moved) {
      if (drag.again) board.select(null);
    } else if (board.isIdle) {
      board.select(null);
      board.onIdle(drag.square, square);
    } else if (square && square !== drag.square) board.move(drag.square, square, true);
  }

  edit({ square, letter, moved }, to) {
    const { editor } = this.board;
    if (letter) {
      if (moved && to) editor.place(letter, to);
    } else if (moved) editor.drop(square, to);
    else if (to === square) editor.click(square);
  }

  /** Suppresses the click of a tap that moves: it would hit the choice of a promotion, which appears under the finger. */
  touchEnd(event) {
    if ((this.tapped || this.board.closePromotion) && !event.target.closest(".promotion")) event.preventDefault();
  }

  /** Puts the dragged piece back. */
  endDrag() {
    const { board, drag } = this;
    this.drag = null;
    if (board.drawing.current) board.drawing.current = null;
    if (!drag?.element) return;
    board.cells.forEach((cell) => cell.classList.remove("drop"));
    drag.element.classList.remove("dragging");
    if (drag.letter) drag.element.remove();
    // The opponent's move may have given the element to another piece.
    for (const [square, element] of board.elements) if (element === drag.element) board.slide(element, square);
  }

  wheel(event) {
    const { board } = this;
    if (event.ctrlKey || board.editor || !board.onStep(0)) return;
    event.preventDefault();
    const delta = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : STEP);
    if (delta * this.scrolled < 0 || event.timeStamp - this.lastWheel > 300) this.scrolled = 0;
    this.lastWheel = event.timeStamp;
    this.scrolled += delta;
    if (Math.abs(this.scrolled) < STEP) return;
    board.onStep(Math.sign(this.scrolled));
    this.scrolled = 0;
  }
}
