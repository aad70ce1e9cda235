//! `torusweave prove --every-size`: the cycles of a scheme at all sizes.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::super::error::CliError;
use super::super::{CommandEnd, output};
use crate::files::{FilesError, NewFolder};
use crate::program::count;
use crate::tools::ToolError;
use crate::tools::prove::Z3;
use crate::tools::prove::every_size::{self, Answer, Fate, Mutant, Obligation, ProvedScheme};

/// One of the schemes, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    One(ProvedScheme),
    All,
}

impl ValueEnum for Whose {
    fn value_variants<'a>() -> &'a [Self] {
        const ONE: [Whose; 5] = [
            Whose::One(ProvedScheme::ALL[0]),
            Whose::One(ProvedScheme::ALL[1]),
            Whose::One(ProvedScheme::ALL[2]),
            Whose::One(ProvedScheme::ALL[3]),
            Whose::All,
        ];
        &ONE
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::One(scheme) => scheme.to_possible_value(),
            Self::All => Some(PossibleValue::new("all").help("All of them")),
        }
    }
}

impl Whose {
    fn schemes(self) -> Vec<ProvedScheme> {
        match self {
            Self::One(scheme) => vec![scheme],
            Self::All => ProvedScheme::ALL.into(),
        }
    }
}

/// Folder for the files if Z3 is not there to read them.
const FOLDER: &str = "every-size";

pub fn run(whose: Whose, with_mutants: bool, out: Option<&Path>) -> Result<CommandEnd, CliError> {
    let schemes = whose.schemes();
    let mutants: Vec<Mutant> = if with_mutants {
        schemes.iter().flat_map(|&scheme| every_size::mutants(scheme)).collect()
    } else {
        Vec::new()
    };
    let obligations: Vec<Obligation> = schemes.iter().flat_map(|scheme| scheme.obligations()).collect();
    let z3 = Z3::find();
    if let Some(folder) = out.or(z3.is_err().then_some(Path::new(FOLDER))) {
        write(&obligations, folder)?;
        output::progress(format_args!("{} in {}", count(obligations.len() as u64, "obligation"), folder.display()));
    }
    let z3 = match z3 {
        Ok(z3) => z3,
        Err(error @ ToolError::Missing { .. }) => {
            output::progress(format_args!(
                "nothing is proved: {error}\nhelp: install Z3, or give it the files: it must say \
                sat, then unsat, to each"
            ));
            return Ok(CommandEnd::Failed);
        }
        Err(error) => return Err(error.into()),
    };
    let proved = if with_mutants { refute(&z3, &mutants)? } else { prove(&z3, &schemes, &obligations)? };
    Ok(if proved { CommandEnd::Fine } else { CommandEnd::Failed })
}

fn write(obligations: &[Obligation], folder: &Path) -> Result<(), FilesError> {
    let mut new = NewFolder::begin(folder)?;
    let failed = |source| FilesError::Write { path: folder.to_owned(), source };
    for obligation in obligations {
        new.file(&obligation.file())
            .and_then(|mut file| file.write_all(obligation.text().as_bytes()))
            .map_err(failed)?;
    }
    new.commit(false).map(|_| ())
}

fn prove(z3: &Z3, schemes: &[ProvedScheme], obligations: &[Obligation]) -> Result<bool, CliError> {
    output::progress(format_args!("{} to Z3 {}", count(obligations.len() as u64, "obligation"), z3.version()));
    let mut lines = Vec::new();
    let answers = every_size::prove(z3, obligations, |obligation, answer| {
        let said = match answer {
            Answer::Proved => "proved".to_owned(),
            Answer::Refuted => "WRONG".to_owned(),
            Answer::Vacuous => "EMPTY, nothing fulfils what it supposes".to_owned(),
            Answer::Unknown(said) => format!("UNKNOWN ({said})"),
        };
        output::progress(format_args!("{}: {said}", obligation.name));
        lines.push(format!("{said:8} {}: {}\n", obligation.name, obligation.claim));
    })?;
    let proved = answers.iter().filter(|answer| **answer == Answer::Proved).count();
    lines.push(format!(
        "{proved} of {} proved for all sizes by Z3 {}; what they suppose can hold in each\n",
        count(answers.len() as u64, "obligation"),
        z3.version()
    ));
    lines.push("on paper:\n".to_owned());
    for scheme in schemes {
        lines.extend(scheme.on_paper().iter().map(|left| format!("  {scheme}: {left}\n")));
    }
    output::text(lines.concat())?;
    Ok(proved == answers.len())
}

fn refute(z3: &Z3, mutants: &[Mutant]) -> Result<bool, CliError> {
    output::progress(format_args!("{} to Z3 {}", count(mutants.len() as u64, "mutant"), z3.version()));
    let mut lines = Vec::new();
    let fates = every_size::refute(z3, mutants, |mutant, fate| {
        let said = match fate {
            Fate::Refuted(by) => format!("refuted    {} (by {by})", mutant.what),
            Fate::Equivalent(why) => format!("equivalent {} (proved: {why})", mutant.what),
            Fate::Survived => format!("SURVIVED   {}", mutant.what),
        };
        output::progress(&said);
        lines.push(said + "\n");
    })?;
    let counted = |wanted: fn(&Fate) -> bool| fates.iter().filter(|fate| wanted(fate)).count();
    let refuted = counted(|fate| matches!(fate, Fate::Refuted(_)));
    let equivalent = counted(|fate| matches!(fate, Fate::Equivalent(_)));
    lines.push(format!(
        "{refuted} of {} refuted; {equivalent} more proved to change nothing\n",
        count((fates.len() - equivalent) as u64, "mutant")
    ));
    output::text(lines.concat())?;
    Ok(refuted + equivalent == fates.len())
}
