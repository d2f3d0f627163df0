use agoge::board::*;
use agoge::search::*;
use agoge::types::Move;
use std::sync::Arc;
struct L;
impl Listener for L {
    fn report(&self, r: &Report) {
        println!(
            "info depth {} seldepth {} score {:?} {:?} nodes {} nps {} time {} hf {} pv {}",
            r.depth,
            r.seldepth,
            r.score,
            r.bound,
            r.nodes,
            (r.nodes as f64 / r.time.as_secs_f64()) as u64,
            r.time.as_millis(),
            r.hashfull,
            r.pv.iter().map(|m| m.to_string()).collect::<Vec<_>>().join(" ")
        );
    }
    fn current_move(&self, _: u32, _: Move, _: usize) {}
    fn best_move(&self, b: Option<Move>, p: Option<Move>) {
        println!("bestmove {:?} {:?}", b, p);
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a[1] == "go" {
        let b = if a.len() > 4 {
            Board::from_fen(&a[4], Variant::Spartan).unwrap()
        } else {
            Board::start(Variant::Spartan)
        };
        let mut p = ThreadPool::new(a[3].parse().unwrap(), 64).unwrap();
        p.start(
            Job {
                game: Game::new(b),
                limits: Limits { depth: Some(a[2].parse().unwrap()), ..Default::default() },
                settings: Settings::default(),
            },
            Arc::new(L),
        );
        p.wait();
        return;
    }
    if a[1] == "epd" {
        let v = Variant::from_name(&a[2]).unwrap();
        let lim: u64 = a[4].parse().unwrap();
        for l in std::fs::read_to_string(&a[3]).unwrap().lines() {
            let mut p = l.split(';');
            let fen = p.next().unwrap();
            let b = Board::from_fen(fen, v).unwrap();
            assert!(v == Variant::Chess || b.to_fen() == fen.trim(), "{}", b.to_fen());
            for d in p {
                let mut w = d.split_whitespace();
                let dd: u32 = w.next().unwrap()[1..].parse().unwrap();
                let n: u64 = w.next().unwrap().parse().unwrap();
                if n > lim {
                    continue;
                }
                let g = b.perft(dd);
                if g != n {
                    println!("BAD {fen} {dd} {n} {g}")
                }
            }
        }
        println!("done");
        return;
    }
    let v = Variant::from_name(&a[1]).unwrap();
    let d: u32 = a[2].parse().unwrap();
    let b = if a.len() > 3 { Board::from_fen(&a[3], v).unwrap() } else { Board::start(v) };
    let t = std::time::Instant::now();
    let n = b.perft(d);
    let s = t.elapsed().as_secs_f64();
    println!("{n} {:.1} Mnps", n as f64 / s / 1e6);
}
