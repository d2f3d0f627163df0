use agoge::board::*;
fn main(){
 let a: Vec<String> = std::env::args().collect();
 if a[1]=="epd" { let v=Variant::from_name(&a[2]).unwrap(); let lim: u64=a[4].parse().unwrap(); for l in std::fs::read_to_string(&a[3]).unwrap().lines(){ let mut p=l.split(';'); let fen=p.next().unwrap(); let b=Board::from_fen(fen,v).unwrap(); assert!(v==Variant::Chess|| b.to_fen()==fen.trim(),"{}",b.to_fen()); for d in p { let mut w=d.split_whitespace(); let dd:u32=w.next().unwrap()[1..].parse().unwrap(); let n:u64=w.next().unwrap().parse().unwrap(); if n>lim {continue} let g=b.perft(dd); if g!=n {println!("BAD {fen} {dd} {n} {g}")} } } println!("done"); return }
if a[1]=="moves" { let b=Board::from_fen(&a[2],Variant::Spartan).unwrap(); let mut v:Vec<String>=b.legal_moves().iter().map(|m| m.to_string()).collect(); v.sort(); println!("{}",v.join(" ")); return}
 let v=Variant::from_name(&a[1]).unwrap(); let d:u32=a[2].parse().unwrap();
 let b= if a.len()>3 {Board::from_fen(&a[3],v).unwrap()} else {Board::start(v)};
 let t=std::time::Instant::now();
 let n=b.perft(d); let s=t.elapsed().as_secs_f64(); println!("{n} {:.1} Mnps", n as f64/s/1e6);
}
