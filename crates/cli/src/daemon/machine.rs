//! How the machine is doing: on battery, under load. Where the system does not
//! tell, it is doing well.

use serve::daemon::Machine;
use std::path::Path;

/// Files of `/sys` and `/proc` are shorter.
const MAX_BYTES: u64 = 4096;

pub fn now() -> Machine {
    Machine { is_on_battery: is_on_battery(Path::new("/sys/class/power_supply")), load: load() }
}

/// A battery gives power, and no mains does.
fn is_on_battery(supplies: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(supplies) else { return false };
    let says = |path: &Path, name: &str| {
        let text = files::read_text(&path.join(name), MAX_BYTES).unwrap_or_default();
        text.trim().to_owned()
    };
    let mut is_discharging = false;
    for path in entries.flatten().map(|entry| entry.path()) {
        match says(&path, "type").as_str() {
            "Mains" if says(&path, "online") == "1" => return false,
            "Battery" => is_discharging |= says(&path, "status") == "Discharging",
            _ => {}
        }
    }
    is_discharging
}

/// Of the last minute, per processor.
fn load() -> f64 {
    let text = files::read_text(Path::new("/proc/loadavg"), MAX_BYTES).unwrap_or_default();
    let load: f64 = text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    load / crate::run_pipeline::n_threads() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_battery_counts_only_without_mains() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_on_battery(dir.path()));
        let supply = |name: &str, files: &[(&str, &str)]| {
            std::fs::create_dir_all(dir.path().join(name)).unwrap();
            for (file, text) in files {
                std::fs::write(dir.path().join(name).join(file), text).unwrap();
            }
        };
        supply("BAT0", &[("type", "Battery\n"), ("status", "Discharging\n")]);
        assert!(is_on_battery(dir.path()));
        supply("AC", &[("type", "Mains\n"), ("online", "1\n")]);
        assert!(!is_on_battery(dir.path()));
        supply("AC", &[("online", "0\n")]);
        assert!(is_on_battery(dir.path()));
    }
}
