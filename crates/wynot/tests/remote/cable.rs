//! A connection that can be cut: everything that arrives at one address goes to another one.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A way to a server that can be interrupted.
pub struct Cable {
    pub address: SocketAddr,
    state: Arc<State>,
}

struct State {
    is_cut: AtomicBool,
    is_over: AtomicBool,
    connections: Mutex<Vec<TcpStream>>,
}

impl Cable {
    pub fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (is_cut, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
        let state = Arc::new(State { is_cut, is_over, connections: Mutex::default() });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            while !shared.is_over.load(Ordering::Relaxed) {
                match listener.accept() {
                    // Whoever connects meanwhile is disconnected.
                    Ok(_) if shared.is_cut.load(Ordering::Relaxed) => {}
                    Ok((client, _)) => shared.join(client, server),
                    Err(_) => thread::sleep(Duration::from_millis(5)),
                }
            }
        });
        Self { address, state }
    }

    /// Cuts all connections, and refuses new ones for some time.
    pub fn cut(&self, time: Duration) {
        self.state.is_cut.store(true, Ordering::Relaxed);
        for connection in self.state.connections.lock().unwrap().drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        thread::sleep(time);
        self.state.is_cut.store(false, Ordering::Relaxed);
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
    }
}

impl State {
    /// Connects a client to the server, in both directions.
    fn join(&self, client: TcpStream, server: SocketAddr) {
        client.set_nonblocking(false).unwrap();
        let Ok(server) = TcpStream::connect(server) else { return };
        let ends = [&client, &server].map(|end| end.try_clone().unwrap());
        self.connections.lock().unwrap().extend(ends);
        for (from, to) in [(&client, &server), (&server, &client)] {
            let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            thread::spawn(move || {
                let _ = io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
        }
    }
}
