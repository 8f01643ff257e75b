//! Lets what links libtorch find it without LD_LIBRARY_PATH. The package `mancala-tests` shares this file.

use std::env;

fn main() {
    // Without a line like this one cargo would run the script after every change in the package.
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    let folder = env::var("DEP_TCH_LIBTORCH_LIB").expect("torch-sys is a direct dependency");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    // A clone that was moved after it was built: target/release/mancala still finds its own libtorch.
    println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN/../../third_party/libtorch/lib");
}
