//! The tables of `docs/architectures.md`, written from the data, so that the page cannot say anything else.

use super::architecture::{Architecture, Layers, Part, STILL, Scores, TABLE, Temperature};
use super::gguf;
use super::model::{SectionOrder, Slice};
use crate::{Direction, Pairing};

fn names(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn turns(architecture: &Architecture) -> String {
    let part = match architecture.part {
        Part::Whole => "the head".into(),
        Part::Of(part) => format!("{part} of the head"),
        Part::Features(width) => format!("{width} features"),
        Part::Stated => "as stated".into(),
    };
    match architecture.slice {
        Slice::Leading => part,
        Slice::Trailing => "the last features, as stated".into(),
    }
}

fn layers(layers: Layers) -> String {
    match layers {
        Layers::Alike => "alike".into(),
        Layers::LocalBase { every, base } => format!("last of {every} scaled, others with base {base}"),
        Layers::FullScaled { every } => format!("last of {every} scaled, others not"),
        Layers::FirstOf { every } => format!("first of {every} with another base"),
        Layers::NopeEvery { every } => format!("last of {every} still"),
        Layers::LocalOnly { every } => format!("last of {every} still"),
        Layers::LocalOnlyIfWindow { every } => format!("last of {every} still, if there is a window"),
        Layers::Compressed => "compressed ones scaled, others not".into(),
    }
}

fn besides(architecture: &Architecture) -> String {
    let mut notes = Vec::new();
    match architecture.sections {
        None => {}
        Some(SectionOrder::Blocks) => notes.push("sections in blocks".to_string()),
        Some(SectionOrder::Interleaved) => notes.push("sections interleaved".into()),
        Some(SectionOrder::HeightWidthTime) => notes.push("sections height, width, time".into()),
        Some(SectionOrder::Doubled) => notes.push("sections doubled".into()),
    }
    if architecture.scores == Scores::Latent {
        notes.push("`mscale_all_dim` scales scores".into());
    }
    match architecture.temperature {
        Temperature::None => {}
        Temperature::Llama4 => notes.push("temperature on still layers".into()),
        Temperature::Ministral => notes.push("temperature on all layers".into()),
    }
    if architecture.direction == Direction::Inverse {
        notes.push("turns backwards".into());
    }
    if architecture.yarn_is_longrope {
        notes.push("`yarn` means `longrope`".into());
    }
    if architecture.yarn_coefficient != 0.1 {
        notes.push(format!("{} in YaRN's magnitude", architecture.yarn_coefficient));
    }
    if let Some(magnitude) = architecture.yarn_magnitude {
        notes.push(format!("YaRN's magnitude is {magnitude}"));
    }
    notes.extend(architecture.full_head_key.map(|key| format!("`{key}` on full layers")));
    notes.extend(architecture.head.map(|head| format!("heads of {head}")));
    notes.join("; ")
}

fn pairing(architecture: &Architecture) -> &'static str {
    match architecture.pairing {
        Pairing::Halves => "halves",
        Pairing::Interleaved => "interleaved",
    }
}

fn hugging_face() -> String {
    let mut table =
        String::from("| `model_type` | pairing | turns | base | layers | besides |\n|---|---|---|---|---|---|\n");
    for line in TABLE {
        let base = line.base.map_or_else(|| "–".into(), |base| base.to_string());
        let (names, layers, besides) = (names(line.names), layers(line.layers), besides(line));
        table += &format!("| {names} | {} | {} | {base} | {layers} | {besides} |\n", pairing(line), turns(line));
    }
    table + &format!("| {} | none | nothing | – | still |  |\n", names(STILL))
}

fn gguf() -> String {
    let mut table = String::from("| `general.architecture` | pairing | layers | besides |\n|---|---|---|---|\n");
    for line in gguf::TABLE {
        let (names, layers, besides) = (names(line.names), layers(line.layers), besides(line));
        table += &format!("| {names} | {} | {layers} | {besides} |\n", pairing(line));
    }
    table + &format!("| {} | none | still | |\n", names(gguf::STILL))
}

#[test]
fn the_page_has_the_tables_of_the_data() {
    let page = include_str!("../../docs/architectures.md");
    for table in [hugging_face(), gguf()] {
        assert!(page.contains(&table), "docs/architectures.md lacks this table:\n{table}");
    }
}

#[test]
fn every_name_stands_in_one_line() {
    for (table, still) in [(TABLE, STILL), (gguf::TABLE, gguf::STILL)] {
        let mut names: Vec<&str> = table.iter().flat_map(|line| line.names).chain(still).copied().collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
