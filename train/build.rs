//! Lets what links libtorch find it without LD_LIBRARY_PATH.

use std::{env, path::Path};

fn main() {
    // Without a line like this one cargo would run the script after every change in the package.
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    let folder = env::var("DEP_TCH_LIBTORCH_LIB").expect("torch-sys is a direct dependency");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    // A clone that was moved after it was built: target/release/mancala still finds its own libtorch.
    println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN/../../third_party/libtorch/lib");
    // A libtorch with CUDA registers itself when loaded; nothing calls it by name, so the linker would leave it out.
    if Path::new(&folder).join("libtorch_cuda.so").exists() {
        println!("cargo::rustc-link-arg=-Wl,--no-as-needed,-ltorch_cuda,--as-needed");
    }
}
