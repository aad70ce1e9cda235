//! SHA-256, by a crate that is as fast as the processor has it, or without the command line by a small one.

/// Hash of what comes piece by piece.
#[derive(Default)]
pub(super) struct Hasher {
    #[cfg(feature = "cli")]
    state: sha2::Sha256,
    #[cfg(not(feature = "cli"))]
    state: hmac_sha256::Hash,
}

impl Hasher {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        #[cfg(feature = "cli")]
        sha2::Digest::update(&mut self.state, bytes);
        #[cfg(not(feature = "cli"))]
        self.state.update(bytes);
    }

    pub(super) fn finish(self) -> [u8; 32] {
        #[cfg(feature = "cli")]
        return sha2::Digest::finalize(self.state).into();
        #[cfg(not(feature = "cli"))]
        self.state.finalize()
    }
}

/// SHA-256 of some bytes.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    let mut hasher = Hasher::default();
    hasher.update(bytes);
    hasher.finish()
}
