"""The training of one seed: Hugging Face's Trainer, with our batches, order and scores."""

from __future__ import annotations

import json
import logging
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.utils.data import Sampler
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer import TRAINER_STATE_NAME
from transformers.trainer_callback import PrinterCallback
from transformers.trainer_utils import get_last_checkpoint

from bnaparser.encoders.device import choose_device, prepare_device, training_precision
from bnaparser.errors import MissingExtraError, SettingsError
from bnaparser.files.tensors import without_copies, writing
from bnaparser.tasks.data import Data, Split
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.kinds.answer_windows import TrainingWindow
from bnaparser.tasks.model import TaskModel, create
from bnaparser.tasks.settings import TaskRecipe, TaskTrainSettings
from bnaparser.training.loop import Interruption, ProgressReport, diverged, training_arithmetic

log = logging.getLogger(__name__)


def train_seed(
    recipe: TaskRecipe,
    data: Data,
    seed: int,
    checkpoints: Path,
    logs: Path | None = None,
    interruption: Interruption | None = None,
) -> TaskModel:
    """Train a model from a seed, or resume its training from the last checkpoint; return the best on dev.

    ``logs`` is the folder for TensorBoard's files, if they are written.
    """
    interruption = interruption or Interruption()
    torch.manual_seed(seed)
    model = create(recipe.model_settings(), data.labels)
    items = model.training_items(data.train.examples, recipe.train.max_seq_length)
    total, check = updates(recipe.train, len(items))
    arguments = training_arguments(recipe, seed, checkpoints, total, check)
    progress = ProgressLog(logs)
    trainer = TaskTrainer(recipe, data, model, items, arguments, progress, interruption)
    parameters = sum(one.numel() for one in model.network.parameters())
    log.info(
        "seed %d: training on %s: %s examples, %s parameters, %s updates (%.3g epochs), a check every %s updates;"
        " output in %s",
        seed, model.device, f"{len(items):,}", f"{parameters:,}", f"{total:,}",
        total / math.ceil(len(items) / recipe.train.batch_size), f"{check:,}", checkpoints.parent,
    )  # fmt: skip
    last = _last_checkpoint(checkpoints)
    if last is not None:
        log.info("seed %d: resumed from %s", seed, Path(last).name)
    elif checkpoints.is_dir():
        log.info("seed %d: starting from scratch: there is no checkpoint in %s", seed, checkpoints)
    with training_arithmetic(model.device), interruption.waiting(), closing(progress):
        trainer.train(resume_from_checkpoint=last)
        if interruption.signal is not None:
            update = trainer.state.global_step
            interruption.kept = (
                f"the checkpoint of update {update} of seed {seed} is in {checkpoints};"
                " the same command resumes the run"
            )
            raise interruption.error()
    return model


def _last_checkpoint(folder: Path) -> str | None:
    """Return the last checkpoint that is whole; what a kill or a full disk left half is removed."""
    for one in folder.glob("checkpoint-*"):
        try:
            json.loads((one / TRAINER_STATE_NAME).read_text(encoding="utf-8"))  # written last
        except (OSError, ValueError):
            shutil.rmtree(one, ignore_errors=True)
    return get_last_checkpoint(str(folder)) if folder.is_dir() else None


def updates(settings: TaskTrainSettings, examples: int) -> tuple[int, int]:
    """Return how many updates a run has, and after how many each time the model is judged."""
    per_epoch = math.ceil(examples / settings.batch_size)
    total = settings.max_steps or max(1, round(settings.epochs * per_epoch))
    return total, min(
        total, settings.eval_steps or max(1, round(per_epoch / settings.evals_per_epoch))
    )


def training_arguments(
    recipe: TaskRecipe, seed: int, checkpoints: Path, total: int, check: int
) -> TrainingArguments:
    """Return the arguments of the Trainer.

    Raises MissingExtraError without accelerate, SettingsError for another GPU than the first.
    """
    settings = recipe.train
    device = choose_device(settings.device)
    on_gpu = device.startswith("cuda")
    _check_first(device)
    prepare_device(device)
    warmup = settings.warmup_steps
    if warmup is None:
        warmup = math.ceil(settings.warmup_ratio * total)
    precision = training_precision(settings.mixed_precision, device)
    try:
        arguments = TrainingArguments(
            output_dir=str(checkpoints),
            per_device_train_batch_size=settings.batch_size,
            max_steps=total,
            learning_rate=settings.learning_rate,
            lr_scheduler_type="linear",
            warmup_steps=warmup,
            weight_decay=settings.weight_decay,
            max_grad_norm=settings.max_grad_norm,
            bf16=precision == "bf16",
            fp16=precision == "fp16",
            use_cpu=device.startswith("cpu"),
            dataloader_pin_memory=on_gpu,
            seed=seed,
            eval_strategy="steps",
            eval_steps=check,
            save_strategy="steps",
            save_steps=check,
            save_total_limit=2,
            load_best_model_at_end=True,
            metric_for_best_model=f"eval_{recipe.task.main_metric}",
            greater_is_better=True,
            logging_strategy="no",
            report_to="none",
            remove_unused_columns=False,
            label_names=["labels"],
            disable_tqdm=True,
        )
    except ImportError as error:
        raise MissingExtraError("accelerate", "train") from error
    if on_gpu:
        # All that there are would each get a whole batch, and syntax cannot be divided among them.
        arguments._n_gpu = 1
    return arguments


def _check_first(device: str) -> None:
    """Raise SettingsError for another GPU than the first: the Trainer would take that one."""
    if device.startswith("cuda") and torch.device(device).index:
        raise SettingsError(
            f"train.device is {device}, but a task is trained on the first GPU: set CUDA_VISIBLE_DEVICES to"
            " choose another, and train.device to cuda"
        )


class TaskTrainer(Trainer):  # type: ignore[misc]
    """The Trainer with batches that hold syntax, similar lengths together, and our scores."""

    optimizer: torch.optim.Optimizer | None
    control: Any

    def __init__(
        self,
        recipe: TaskRecipe,
        data: Data,
        model: TaskModel,
        items: Sequence[PreparedExample | TrainingWindow],
        arguments: Any,
        progress: ProgressLog,
        interruption: Interruption,
    ):
        self.progress = progress
        self.recipe, self.data, self.task_model, self.items = recipe, data, model, items
        cut = recipe.train.max_seq_length
        super().__init__(
            model=model.network,
            args=arguments,
            data_collator=lambda chosen: model.training_batch(chosen, cut),
            train_dataset=items,
            eval_dataset=data.judged[0].examples,
            callbacks=[progress, StopAtSignal(interruption)],
        )
        self.remove_callback(PrinterCallback)

    def create_optimizer(self, *arguments: Any) -> torch.optim.Optimizer:
        """Make AdamW, with a learning rate of its own for what is not pre-trained."""
        if self.optimizer is None:
            settings = self.recipe.train
            groups = parameter_groups(self.task_model, settings)
            self.optimizer = torch.optim.AdamW(groups, lr=settings.learning_rate, fused=True)
        return self.optimizer

    def evaluate(self, *arguments: Any, **settings: Any) -> dict[str, float]:
        """Score the development examples, in percent."""
        scores = development_scores(self.recipe, self.data.judged[0], self.task_model)
        metrics = {f"eval_{name}": value for name, value in scores.items()}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, metrics
        )
        return metrics

    def training_step(self, *arguments: Any, **named: Any) -> torch.Tensor:
        """Do a step. Raises SettingsError if the loss is no number any more."""
        loss: torch.Tensor = super().training_step(*arguments, **named)
        self.progress.loss = float(loss)
        if not math.isfinite(self.progress.loss):
            raise diverged(self.state.global_step)
        return loss

    def _save_checkpoint(self, *arguments: Any, **named: Any) -> None:
        with writing(Path(self.args.output_dir)):
            super()._save_checkpoint(*arguments, **named)

    def _get_train_sampler(self, train_dataset: Any = None) -> Sampler[int]:
        sizes = [item.size for item in self.items]
        return PooledSampler(
            sizes, self.recipe.train, self.args.seed, lambda: int(self.state.epoch or 0)
        )

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """Save weights alone; those with two names twice, as the Trainer expects to find them."""
        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        once, copies = without_copies(self.task_model.network.state_dict())
        tensors = once | {name: once[first].clone() for name, first in copies.items()}
        save_file(tensors, folder / "model.safetensors", {"format": "pt"})


class StopAtSignal(TrainerCallback):  # type: ignore[misc]
    """After a signal: a checkpoint at the end of the update, then the end of the training."""

    def __init__(self, interruption: Interruption):
        self.interruption = interruption

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Request a checkpoint after a signal."""
        if self.interruption.signal is not None:
            control.should_save = control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """End the training where a signal came while the model was judged."""
        if self.interruption.signal is not None:
            control.should_training_stop = True


class ProgressLog(TrainerCallback):  # type: ignore[misc]
    """The progress of a seed, its scores in the log, and TensorBoard's files where there is a folder for them."""

    def __init__(self, logs: Path | None):
        self.logs = logs
        self.writer: Any = None
        self.report: ProgressReport | None = None
        self.loss = 0.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Open the report where the run stands; find the best checkpoint where the run is now."""
        best = Path(args.output_dir) / f"checkpoint-{state.best_global_step}"
        if best.is_dir():  # it was noted by the folder's name of then, which may have been moved
            state.best_model_checkpoint = str(best)
        self.report = ProgressReport(state.max_steps, state.global_step)
        if self.logs is not None:
            from torch.utils.tensorboard import SummaryWriter

            self.writer = SummaryWriter(str(self.logs))

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Note the loss and the learning rate of an update."""
        rate = more["optimizer"].param_groups[0]["lr"]
        self._write({"loss": self.loss, "learning_rate": rate}, state.global_step + 1)

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Report the update; the last update is judged, too."""
        assert self.report is not None
        self.report.update(state.global_step, self.loss)
        if state.global_step >= state.max_steps:
            control.should_evaluate = True

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
        """Write scores into the log."""
        scores = {
            name.removeprefix("eval_"): value
            for name, value in (logs or {}).items()
            if name.startswith("eval_")
        }
        if scores:
            shown = " ".join(f"{name} {value:.2f}" for name, value in scores.items())
            log.info("update %d: %s", state.global_step, shown)
            self._write({f"dev/{name}": value for name, value in scores.items()}, state.global_step)

    def close(self) -> None:
        """Take the bar away and end TensorBoard's files."""
        if self.report is not None:
            self.report.close()
        if self.writer is not None:
            self.writer.close()

    def _write(self, scalars: dict[str, float], update: int) -> None:
        if self.writer is not None:
            for name, value in scalars.items():
                self.writer.add_scalar(name, value, update)


class PooledSampler(Sampler[int]):
    """All examples in a random order that a seed and an epoch fix, similar lengths together.

    ``bucket_batches`` batches at a time are sorted by length, cut and shuffled; ``epoch`` tells the
    number of the epoch when it begins. The last batch of an epoch is the one that is not full.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        settings: TaskTrainSettings,
        seed: int,
        epoch: Callable[[], int],
    ):
        self.sizes, self.seed, self.epoch = sizes, seed, epoch
        self.batch, self.pool = settings.batch_size, settings.batch_size * settings.bucket_batches

    def __len__(self) -> int:
        return len(self.sizes)

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers of an epoch."""
        generator = np.random.default_rng((self.seed, self.epoch()))
        order = generator.permutation(len(self.sizes)).tolist()
        full = len(order) - len(order) % self.batch
        for start in range(0, full, self.pool):
            drawn = order[start : min(start + self.pool, full)]
            drawn.sort(key=lambda index: self.sizes[index])
            cut = [drawn[at : at + self.batch] for at in range(0, len(drawn), self.batch)]
            for place in generator.permutation(len(cut)):
                yield from cut[place]
        yield from order[full:]


def parameter_groups(model: TaskModel, settings: TaskTrainSettings) -> list[dict[str, Any]]:
    """Return the optimizer's groups: pre-trained or new, vectors (biases, norms) without decay."""
    new = {id(parameter) for parameter in model.network.new_parameters()}
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for parameter in model.network.parameters():
        if parameter.requires_grad:
            groups.setdefault((id(parameter) in new, parameter.dim() > 1), []).append(parameter)
    new_rate = settings.head_learning_rate or settings.learning_rate
    return [
        {
            "params": parameters,
            "lr": new_rate if is_new else settings.learning_rate,
            "weight_decay": settings.weight_decay if decays else 0.0,
        }
        for (is_new, decays), parameters in groups.items()
    ]


def development_scores(recipe: TaskRecipe, split: Split, model: TaskModel) -> dict[str, float]:
    """Return the scores of a model as it is, in percent.

    Where questions without an answer are among them, a model of answers gets the threshold that
    makes its main metric highest here.
    """
    found = model.scores(split.examples, recipe.train.eval_batch_tokens)
    if not all(map(model.kind.is_finite, found)):
        raise diverged()
    threshold = model.kind.threshold(recipe.task.main_metric, split.gold, found)
    if threshold is not None:
        model.network.threshold.fill_(threshold)
    predicted = list(map(model.predicted, found))
    return model.kind.score(model.labels, split.gold, predicted)
