// The parts of the Rust drivers that are the same for all controllers: tokens of scripts and the mocked environment.
pub trait Token: Sized {
    fn read(token: &str) -> Self;
    fn same(&self, token: &str) -> bool;
}
impl Token for bool {
    fn read(token: &str) -> Self { token == "1" }
    fn same(&self, token: &str) -> bool { *self == (token == "1") }
}
impl Token for i64 {
    fn read(token: &str) -> Self { token.parse().unwrap() }
    fn same(&self, token: &str) -> bool { self.to_string() == token }
}
impl Token for u32 {
    fn read(token: &str) -> Self { token.parse().unwrap() }
    fn same(&self, token: &str) -> bool { self.to_string() == token }
}
impl Token for f64 {
    fn read(token: &str) -> Self { token.parse().unwrap() }
    fn same(&self, token: &str) -> bool { self.to_bits() == token.parse::<f64>().unwrap().to_bits() }
}
pub trait Same {
    fn same_as(&self, token: &str) -> bool;
}
impl<T: Token> Same for T {
    fn same_as(&self, token: &str) -> bool { self.same(token) }
}
#[derive(Debug)]
pub struct Call { pub method: usize, pub fails: bool, pub must: bool, pub args: Vec<String>, pub result: String, pub used: bool }
#[derive(Debug)]
pub struct Failing;
impl std::fmt::Display for Failing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("asked to") }
}
pub struct Env { pub calls: Vec<Call>, pub position: usize, pub lazy: bool }
impl Env {
    pub fn take(&mut self, method: usize, args: &[&dyn Same]) -> Result<String, Failing> {
        let fits = |c: &Call| !c.used && c.method == method && c.args.len() == args.len() && c.args.iter().zip(args).all(|(t, a)| a.same_as(t));
        let index = if self.lazy { self.calls.iter().position(fits).expect("an unexpected call") } else { self.position };
        assert!(self.calls.get(index).is_some_and(fits), "unexpected call of {method}: {:?}", self.calls);
        self.position += 1;
        self.calls[index].used = true;
        if self.calls[index].fails { Err(Failing) } else { Ok(self.calls[index].result.clone()) }
    }
}
pub fn calls<'a>(words: &mut impl Iterator<Item = &'a str>) -> Vec<Call> {
    let n: usize = words.next().unwrap().parse().unwrap();
    (0..n).map(|_| {
        let method = words.next().unwrap().parse().unwrap();
        let fails = words.next().unwrap() == "1";
        let must = words.next().unwrap() == "1";
        let count: usize = words.next().unwrap().parse().unwrap();
        let args = (0..count).map(|_| words.next().unwrap().to_owned()).collect();
        Call { method, fails, must, args, result: words.next().unwrap().to_owned(), used: false }
    }).collect()
}
#[allow(dead_code)]
pub fn block_on<F: std::future::Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
